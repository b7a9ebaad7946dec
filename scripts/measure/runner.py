"""Goes through the cells of a run: leaves out what has a row, records what fails, and goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import MeasureError
from .plan import FAILED, OK, Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .progress import Progress
    from .provenance import Run
    from .rows import RowFile


def is_covered(cell: Cell, rows: Sequence[Mapping[str, str]]) -> bool:
    """Say whether rows of one run hold that of a cell, or say that its rung has failed."""
    own = [row for row in rows if tuple(row[name] for name in cell.group) == cell.rung]
    return any(row["status"] == FAILED or all(row[name] == value for name, value in cell.key.items()) for row in own)


class Runner:
    """Measures cells into a row file.

    The table has the columns ``run``, ``attempt``, ``status`` and ``reason`` besides those of the instrument.

    Args:
        file: Where rows go.
        run: What the rows begin with.
        retry: Whether rungs that failed are measured once more, as the next attempt.
        fixed: Cells that every row has.
    """

    def __init__(self, file: RowFile, run: Run, *, retry: bool = False, fixed: Mapping[str, str] | None = None) -> None:
        self.file = file
        self.run = run
        self.retry = retry
        self.fixed = dict(fixed or {})
        self.attempts: dict[tuple[str, ...], int] = {}
        self.failures = 0

    def rows_of(self, cell: Cell) -> list[dict[str, str]]:
        """Return the rows of a cell's rung in this run."""
        return [row for row in self.file.rows if row["run"] == self.run.name and tuple(row[name] for name in cell.group) == cell.rung]

    def attempt(self, cell: Cell) -> int:
        """Return which attempt at its rung a cell belongs to, from 1."""
        name = (*cell.group, *cell.rung)
        if name not in self.attempts:
            rows = self.rows_of(cell)
            last = max((int(row["attempt"]) for row in rows), default=1)
            failed = any(row["status"] == FAILED for row in rows if int(row["attempt"]) == last)
            self.attempts[name] = last + 1 if failed and self.retry else last
        return self.attempts[name]

    def done(self, cell: Cell) -> bool:
        """Say whether a cell needs no measurement: it has its row, or its rung has failed."""
        attempt = str(self.attempt(cell))
        return is_covered(cell, [row for row in self.rows_of(cell) if row["attempt"] == attempt])

    def go(self, cells: Sequence[Cell], measure: Callable[[Cell], tuple[Mapping[str, object], str]], progress: Progress) -> None:
        """Measure what has no row yet.

        Args:
            cells: In the order of measurement.
            measure: Returns the measured cells of a row, and a few words for the progress. A `MeasureError` becomes a failed row;
                anything else ends the run.
            progress: Hears of each cell.
        """
        known = {id(cell) for cell in cells if self.done(cell)}
        for cell in cells:
            if id(cell) in known:
                continue
            if self.done(cell):  # its rung has failed meanwhile
                progress.skip(cell.seconds)
                continue
            base = {**self.run.cells, "attempt": self.attempt(cell), **self.fixed, **cell.fixed, **cell.key}
            try:
                measured, told = measure(cell)
                row = {**base, "status": OK, **measured}
            except MeasureError as error:
                self.failures += 1
                row, told = {**base, "status": FAILED, "reason": error.reason, **error.cells}, f"FAILED: {error.reason}"
            self.file.append(row)
            progress.step(f"{cell.label}: {told}", cell.seconds)
