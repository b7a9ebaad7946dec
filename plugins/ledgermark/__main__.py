"""`python -m ledgermark`."""

from ledgermark.cli import main

main()
