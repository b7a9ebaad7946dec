"""ledgermark: Markdown whose numbers are checked against a ledger of measurements."""

from ledgermark.figures import Drawing, Words, figure
from ledgermark.ledger import Ledger, LedgerError, Row, count
from ledgermark.metrics import metric
from ledgermark.quantity import Quantity, largest, mean, smallest, total
from ledgermark.units import UnitError

__all__ = [
    "Drawing",
    "Ledger",
    "LedgerError",
    "Quantity",
    "Row",
    "UnitError",
    "Words",
    "count",
    "figure",
    "largest",
    "mean",
    "metric",
    "smallest",
    "total",
]
