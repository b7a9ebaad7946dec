"""The settings: what is accepted, and what an error says."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.findings import ConfigError
from ledgermark.settings import Settings, read_settings


def test_none_gives_the_defaults() -> None:
    assert read_settings(None) == read_settings({}) == Settings()


@pytest.mark.parametrize(
    ("block", "attribute", "value"),
    [
        ({"metrics": "a/b.py"}, "metrics", "a/b.py"),
        ({"assets": "a/"}, "assets", "a"),
        ({"languages": {"en": "text"}}, "languages", {"en": "text"}),
        ({"languages": {"de": "de"}}, "names", {"en": "English", "zh": "中文", "de": "de"}),
        ({"units": {"row": ["rates", "个速率"]}}, "aliases", {"rates": "row", "个速率": "row"}),
        ({"navigation": ["index.md"]}, "navigation", ("index.md",)),
        ({"stills": False}, "stills", False),
        ({"metrics": None}, "metrics", "site_src/metrics.py"),
    ],
)
def test_options(block: dict[str, Any], attribute: str, value: object) -> None:
    assert getattr(read_settings(block), attribute) == value


def test_the_pages_are_where_mkdocs_has_them() -> None:
    assert read_settings({}, docs_dir="docs").pages == "docs"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"metrcs": "a"}, "unknown option 'metrcs'; did you mean 'metrics'?"),
        ({"zzz": "a"}, "unknown option 'zzz'"),
        ({5: "a"}, "unknown option '5'"),
        ({"metrics": 5}, "metrics is 5, expected a path below the folder of mkdocs.yml"),
        ({"metrics": "/etc/passwd"}, "metrics is '/etc/passwd', expected a path"),
        ({"descriptor": "../d.json"}, "descriptor is '../d.json', expected a path"),
        ({"descriptor": "a/../../d.json"}, "expected a path"),
        ({"assets": "C:/x"}, "expected a path"),
        ({"languages": ["en"]}, "languages is ['en'], expected a mapping such as {en: English, zh: 中文}"),
        ({"languages": {False: "no"}}, "expected a mapping"),
        ({"languages": {"en": "../en"}}, "languages.en is '../en', expected a path"),
        ({"languages": {"en": 5}}, "expected a mapping"),
        ({"names": "English"}, "names is 'English', expected a mapping"),
        ({"units": ["row"]}, "units is ['row'], expected a mapping"),
        ({"units": {"rwo": ["x"]}}, "units: unknown unit 'rwo'"),
        ({"units": {"row": "rows"}}, "units.row is 'rows', expected a list of texts"),
        ({"units": {"row": [5]}}, "units.row is [5], expected a list of texts"),
        ({"navigation": "index.md"}, "navigation is 'index.md', expected a list of texts"),
        ({"stills": "yes"}, "stills is 'yes', expected true or false"),
        (["a"], "expected 'key: value' lines"),
        ("text", "expected 'key: value' lines"),
        (5, "expected 'key: value' lines"),
    ],
)
def test_what_is_refused(block: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_settings(block)
    assert message in str(caught.value)
    assert str(caught.value).startswith("ledgermark: ")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=2),
    max_leaves=4,
)


@given(st.sampled_from([item.name for item in fields(Settings)]), VALUES)
def test_any_value_is_accepted_or_refused(key: str, value: object) -> None:
    try:
        read_settings({key: value})
    except ConfigError as error:
        message = str(error)
    else:
        return
    assert key in message
