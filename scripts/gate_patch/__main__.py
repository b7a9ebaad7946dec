"""Runs the command line: `python -m scripts.gate_patch`."""

import sys

from .cli import main

sys.exit(main())
