"""What one check has worked out, for another that shares some of its parts: a figure over the same rows, the numbers of the same page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Answer = TypeVar("Answer")


class Memory:
    """Answers by the very parts they were made from.

    An answer may depend on nothing but its parts and what its name says. Parts are told apart by identity, for what a check looks at is never
    changed in place; they are kept with the answer, so that no other object gets the identity of one that is gone.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Hashable, ...], tuple[tuple[object, ...], Any]] = {}
        self._keeps = True

    def frozen(self) -> Memory:
        """Return a memory that answers the same and learns nothing more, however many checks ask it."""
        copy = Memory()
        copy._known, copy._keeps = self._known, False
        return copy

    def once(self, name: str, parts: tuple[object, ...], make: Callable[[], Answer], fits: Callable[[Answer], bool] | None = None) -> Answer:
        """Return the answer for some parts, made now unless it is known.

        Args:
            name: what is asked.
            parts: what the answer is made from.
            make: makes it; what it raises is not kept.
            fits: whether a known answer holds here, where parts alone do not tell.
        """
        place = (name, *map(id, parts))
        if place in self._known:
            known: Answer = self._known[place][1]
            if fits is None or fits(known):
                return known
        made = make()
        self.keep(name, parts, made)
        return made

    def knows(self, name: str, parts: tuple[object, ...]) -> bool:
        """Return whether there is an answer for some parts."""
        return (name, *map(id, parts)) in self._known

    def keep(self, name: str, parts: tuple[object, ...], made: object) -> None:
        """Keep an answer that was made elsewhere from some parts."""
        if self._keeps:
            self._known[name, *map(id, parts)] = parts, made
