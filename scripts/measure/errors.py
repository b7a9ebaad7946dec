"""What can go wrong with a measurement: one rung, or all of it."""

from __future__ import annotations


class MeasureError(Exception):
    """One cell could not be measured; it is recorded as failed, and the rest goes on.

    Attributes:
        reason: One line for the row and for the person who waits.
        cells: What was measured all the same, by column.
    """

    def __init__(self, reason: str, **cells: object) -> None:
        super().__init__(reason)
        self.reason = " ".join(reason.split())
        self.cells = cells


class SetupError(Exception):
    """Nothing can be measured, or nothing more; the message says what was found and what was expected."""
