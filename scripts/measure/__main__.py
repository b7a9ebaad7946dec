"""Runs the command line: `python -m scripts.measure`."""

import sys

from .cli import main

sys.exit(main())
