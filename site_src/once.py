"""Functions of the ledger that are worked out once, whoever asks: a metric or a figure, in one language or the other."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from ledgermark import Ledger

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def once(function: Callable[Concatenate[Ledger, Arguments], Answer]) -> Callable[Concatenate[Ledger, Arguments], Answer]:
    """Return a function that is worked out once for each ledger and each set of arguments; whoever asks again has read the same cells.

    It returns quantities, numbers or texts that nobody changes, and no row: what is read of one later would not be noted.
    """

    @wraps(function)
    def kept(ledger: Ledger, /, *args: Arguments.args, **named: Arguments.kwargs) -> Answer:
        return ledger.derived((function, args, *named.items()), lambda data: function(data, *args, **named))

    return kept
