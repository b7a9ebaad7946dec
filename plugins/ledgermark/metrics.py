"""Metrics: named, pure functions of the ledger, and how a claim's parameters become a value."""

from __future__ import annotations

import inspect
import re
import typing
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ledgermark.findings import in_words, nearest
from ledgermark.ledger import Ledger, LedgerError
from ledgermark.messages import Message
from ledgermark.quantity import Quantity
from ledgermark.units import Unit, UnitError, parse_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ledgermark.claims import Claim

_MARK: Final = "__ledgermark_metric__"
_MAGNITUDE: Final = 100  # powers of ten beyond which a value is no measurement
_KINDS: Final = (int, str, bool, Decimal)
_Place = tuple[str, tuple[tuple[str, Any], ...]]
_PLAIN: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


class _Wanted(NamedTuple):
    """What a metric wants of a claim for one parameter: of what kind its values are, whether all in one tuple, and whether it must be there."""

    parameter: inspect.Parameter
    kind: Any
    whole: bool
    needed: bool


@dataclass(frozen=True)
class Metric:
    """A metric: its function, the unit its values are given in, the sentence a reader sees, and its formula.

    `subjects` says for some families of subjects which ones its values speak of, where its rows hold more than that.
    """

    name: str
    function: Callable[..., Quantity]
    unit: Unit
    sentence: str
    formula: str
    parameters: tuple[inspect.Parameter, ...]
    hints: Mapping[str, Any]
    subjects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def wanted(self) -> dict[str, _Wanted]:
        """What it wants of a claim, by the names of its parameters, in their order."""
        wanted = {}
        for parameter in self.parameters:
            hint = self.hints.get(parameter.name, str)
            whole = typing.get_origin(hint) is tuple
            kind = typing.get_args(hint)[0] if whole else hint
            wanted[parameter.name] = _Wanted(parameter, kind, whole, parameter.default is inspect.Parameter.empty)
        return wanted


class EvaluationError(Exception):
    """A claim that has no value. `code` is the finding's code; an empty one means the cause is a finding already."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def metric(
    *, unit: str, formula: str = "", subjects: Mapping[str, tuple[str, ...]] | None = None
) -> Callable[[Callable[..., Quantity]], Callable[..., Quantity]]:
    """Return a decorator that makes a function of the ledger a metric.

    Args:
        unit: what its values are given in; a result that measures something else is a finding.
        formula: how it is computed, in signs that need no translation.
        subjects: family to the subjects its values speak of, instead of those of its rows; none leaves the family unchecked.

    Raises:
        UnitError: nobody defined the unit.
    """
    parsed = parse_unit(unit)

    def decorate(function: Callable[..., Quantity]) -> Callable[..., Quantity]:
        setattr(function, _MARK, (parsed, formula, dict(subjects or {})))
        return function

    return decorate


def find_metrics(namespace: Mapping[str, Any]) -> dict[str, Metric]:
    """Return the metrics a module defines, by name. Raises ValueError for one whose parameters cannot come from a claim."""
    found: dict[str, Metric] = {}
    for name, value in namespace.items():
        if name.startswith("_") or not hasattr(value, _MARK):
            continue
        unit, formula, subjects = getattr(value, _MARK)
        _, *parameters = inspect.signature(value).parameters.values()
        hints = typing.get_type_hints(value)
        for parameter in parameters:
            hint = hints.get(parameter.name, str)
            if not _takes(hint):
                given = Message("a claim can give int, str, bool, Decimal, or tuple[int, ...]")
                msg = Message(
                    "metric '{name}': the parameter '{parameter_name}' is {hint}; {given}",
                    name=name,
                    parameter_name=parameter.name,
                    hint=hint,
                    given=given,
                )
                raise ValueError(msg)
            if parameter.name in ("show", "is", "unit"):
                msg = Message("metric '{name}': the parameter name '{parameter_name}' is reserved", name=name, parameter_name=parameter.name)
                raise ValueError(msg)
        sentence = (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ").strip()
        if not sentence:
            msg = Message("metric '{name}' has no docstring; its first line is what readers see", name=name)
            raise ValueError(msg)
        found[name] = Metric(name, value, unit, sentence, formula, tuple(parameters), hints, subjects)
    return found


def _takes(hint: Any) -> bool:
    """Return whether a claim's text can be turned into a parameter of this annotation."""
    if typing.get_origin(hint) is None:
        return hint in _KINDS
    inner, *rest = typing.get_args(hint) or (None,)
    return typing.get_origin(hint) is tuple and inner in _KINDS and rest == [Ellipsis]


class Evaluator:
    """Gives claims their values, computing each combination of metric and parameters once."""

    def __init__(self, ledger: Ledger, metrics: Mapping[str, Metric], before: Evaluator | None = None) -> None:
        """Take a ledger and metrics, and perhaps what gave the same metrics their values over another ledger."""
        self.ledger = ledger
        self.metrics = metrics
        self._before = before if before is not None and before.metrics is metrics else None
        self._known: dict[_Place, Quantity | EvaluationError] = {}
        self._asked: dict[_Place, frozenset[str]] = {}
        self._answers: dict[str, tuple[Quantity, ...]] = {}

    def values(self, claim: Claim) -> tuple[Quantity, ...]:
        """Return the values a claim is bound to, in the unit of its metric or column; more than one for a series.

        Raises:
            EvaluationError: no such metric or cell, parameters that do not fit, a metric that failed.
        """
        answer = self._answers.get(claim.key)
        if answer is None:
            answer = self._answers[claim.key] = self._cells(claim) if "." in claim.name else self._metric(claim)
        return answer

    def _metric(self, claim: Claim) -> tuple[Quantity, ...]:
        if claim.name not in self.metrics:
            known = [*self.metrics, *(f"{name}.{column.name}" for name, dataset in self.ledger.datasets.items() for column in dataset.columns)]
            raise EvaluationError("LM105", Message("no metric '{name}'{hint}", name=claim.name, hint=nearest(claim.name, known)))
        chosen = self.metrics[claim.name]
        for name in claim.params:
            if name not in chosen.wanted:
                names = list(chosen.wanted)
                takes = Message("takes {names}", names=", ".join(names)) if names else Message("takes none")
                message = Message(
                    "{name} has no parameter '{parameter}'; it {takes}{hint}",
                    name=claim.name,
                    parameter=name,
                    takes=takes,
                    hint=nearest(name, names),
                )
                raise EvaluationError("LM106", message)
        combinations: list[dict[str, Any]] = [{}]
        for name, wanted in chosen.wanted.items():
            if name in claim.params:
                choices = _convert(chosen, wanted, claim.params[name])
                combinations = [{**before, name: choice} for before in combinations for choice in choices]
            elif wanted.needed:
                raise EvaluationError("LM106", Message("{name} needs the parameter '{parameter_name}'", name=claim.name, parameter_name=name))
        return tuple([self._compute(chosen, combination) for combination in combinations])

    def _cells(self, claim: Claim) -> tuple[Quantity, ...]:
        dataset, _, column = claim.name.partition(".")
        combinations: list[dict[str, str]] = [{}]
        for name, value in claim.params.items():
            combinations = [{**before, name: item} for before in combinations for item in value.split(",")]
        try:
            return tuple([self.ledger.one(dataset, **keys)[column] for keys in combinations])
        except LedgerError as error:
            raise _ledger_error(error) from error

    def _compute(self, chosen: Metric, arguments: dict[str, Any]) -> Quantity:
        place = (chosen.name, tuple(arguments.items()))  # in the order of the parameters
        result = self._known.get(place)
        if result is None:
            try:
                result = self._recalled(place) or self._call(chosen, arguments, place)
            except EvaluationError as error:
                result = error
            self._known[place] = result
        if isinstance(result, EvaluationError):
            raise result
        return result

    def known(self, place: _Place) -> tuple[Quantity | None, frozenset[str]]:
        """Return the value that a metric was found to have for some arguments, and the datasets it asked for."""
        found = self._known.get(place)
        return (found, self._asked[place]) if isinstance(found, Quantity) else (None, frozenset())

    def _recalled(self, place: _Place) -> Quantity | None:
        """Return the value that a metric had over the other ledger, where it asked for no table that is another here."""
        if self._before is None:
            return None
        known, asked = self._before.known(place)
        if known is None or not self.ledger.shares(self._before.ledger, asked):
            return None
        self._asked[place] = asked
        return known

    def _call(self, chosen: Metric, arguments: dict[str, Any], place: _Place) -> Quantity:
        def called() -> str:
            return f"{chosen.name}({', '.join(f'{name}={value}' for name, value in arguments.items())})"

        try:
            ledger = self.ledger.recording(cells=False)
            result = chosen.function(ledger, **arguments)
            self._asked[place] = frozenset(ledger.asked or ())
        except LedgerError as error:
            raise _ledger_error(error, called()) from error
        except UnitError as error:
            raise EvaluationError("LM112", Message("{called}: {error}", called=called(), error=error)) from error
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise EvaluationError(
                "LM108", Message("{called} raised {error}{where}", called=called(), error=in_words(error), where=_last_line(error))
            ) from error
        if not isinstance(result, Quantity):
            raise EvaluationError(
                "LM108", Message("{called} returned {kind}, expected a Quantity", called=called(), kind=type(result).__name__)
            )
        parts: tuple[object, object] = (result.value, result.unit)
        if not isinstance(parts[0], Decimal) or not isinstance(parts[1], Unit):
            raise EvaluationError("LM108", Message("{called} returned a Quantity without a value or unit", called=called()))
        if not result.value.is_finite() or abs(result.value.adjusted()) > _MAGNITUDE:
            raise EvaluationError("LM108", Message("{called} gives {value}, expected a finite number", called=called(), value=result.value))
        try:
            return result.to(chosen.unit)
        except UnitError as error:
            message = Message(
                "{called} gives {spelled}, declared '{symbol}' ({unit_spelled})",
                called=called(),
                spelled=result.unit.spelled,
                symbol=chosen.unit.symbol,
                unit_spelled=chosen.unit.spelled,
            )
            raise EvaluationError("LM112", message) from error


def _ledger_error(error: LedgerError, called: str = "") -> EvaluationError:
    code = "" if error.unusable else "LM105" if error.missing else "LM107"
    return EvaluationError(code, Message("{called}: {error}", called=called, error=error) if called else str(error))


def _last_line(error: BaseException) -> str:
    """Return where in the author's own code an exception came from: the last line that is not of this package."""
    trace, own = error.__traceback__, None
    while trace:
        if not str(trace.tb_frame.f_globals.get("__name__")).startswith("ledgermark."):
            own = trace
        trace = trace.tb_next
    return Message(" ({function}, line {line})", function=own.tb_frame.f_code.co_name, line=own.tb_lineno) if own else ""


def _convert(chosen: Metric, wanted: _Wanted, text: str) -> list[Any]:
    """Return the values a parameter's text stands for: one for each item of a comma list, or one tuple where the metric wants all."""
    values = [_item(chosen, wanted.parameter, wanted.kind, item) for item in text.split(",")]
    return [tuple(values)] if wanted.whole else values


def _item(chosen: Metric, parameter: inspect.Parameter, kind: Any, text: str) -> Any:
    try:
        if kind in (int, Decimal):
            # 1_024 or full-width digits would be a second spelling of the same thing.
            return kind(text if _PLAIN.fullmatch(text) else "")
        if kind is bool:
            return {"true": True, "false": False}[text]
    except (ValueError, InvalidOperation, KeyError) as error:
        name = getattr(kind, "__name__", str(kind))
        message = Message("{name}: {parameter}={text}, expected {kind}", name=chosen.name, parameter=parameter.name, text=text, kind=name)
        raise EvaluationError("LM106", message) from error
    return text
