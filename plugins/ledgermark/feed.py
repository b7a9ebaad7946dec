"""The Atom feed of a language's errata."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Entry:
    """One erratum in a feed: its title, the address of its place on the page, its date and its text as HTML."""

    title: str
    url: str
    date: date
    html: str


def atom_feed(title: str, url: str, feed_url: str, language: str, entries: Iterable[Entry], built: date) -> str:
    """Return an Atom feed, newest first. Every text is escaped by the feed's writer.

    Args:
        title: the feed's.
        url: the errata page it mirrors.
        feed_url: its own address.
        language: the language code.
        entries: in any order.
        built: the date of the build, which stands for the feed's own where it has no entry.
    """
    from feedgenerator import Atom1Feed  # noqa: PLC0415  (only a build pays)

    class Feed(Atom1Feed):  # type: ignore[misc]
        """Asks no clock: two builds of the same must be the same."""

        def latest_post_date(self) -> datetime:
            """Return the day of the newest entry, or of the build."""
            return datetime.combine(max((entry.date for entry in items), default=built), time(), UTC)

    items = sorted(entries, key=lambda item: (item.date, item.url), reverse=True)
    feed = Feed(title=title, link=url, description=title, language=language, feed_url=feed_url, author_name=title)
    for entry in items:
        moment = datetime.combine(entry.date, time(), UTC)
        feed.add_item(title=entry.title, link=entry.url, description=entry.html, unique_id=entry.url, pubdate=moment, updateddate=moment)
    return str(feed.writeString("utf-8"))
