"""Runs the command line: `python -m scripts.probe`."""

import sys

from .cli import main

sys.exit(main())
