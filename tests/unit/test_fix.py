"""`fix` mends stale digits and nothing else; a second one finds nothing to do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.fix import Edit, apply_edits
from tests.copies import Copy, files_below


def spoil(copy: Copy) -> None:
    """Make numbers stale in both languages, in text, front matter, caption, table and erratum."""
    copy.edit("en/report.md", "by [75.0 %]", "by [74.0 %]")
    copy.edit("en/report.md", "[+25.3 % and −75.0 %]", "[+26.3 % and −74.0 %]")
    copy.edit("en/report.md", "[twenty-five days]", "[twenty-six days]")
    copy.edit("en/report.md", "[1,024 and 32 768 tokens]", "[1,023 and 32 767 tokens]")
    copy.edit("en/report.md", "[5.0 tok/s]", "[6.0 tok/s]")
    copy.edit("en/report.md", "[12 000]", "[12 001]")
    copy.edit("en/report.md", "[25 days]", "[35 days]")
    copy.edit("zh/report.md", "[+25.3％]", "[+２６.3％]")
    copy.edit("zh/report.md", "[二十五天]", "[三十五天]")
    copy.edit("zh/report.md", "[1.2万]", "[1.3万]")
    copy.edit("zh/report.md", "3.3万", "3.4万")
    copy.edit("zh/report.md", "[15.0 倍]", "[14.0 倍]")


def test_fix_then_check_is_clean_and_a_second_fix_does_nothing(tiny: Copy) -> None:
    good = {name: tiny.read(name) for name in ("en/report.md", "zh/report.md")}
    others = {name: data for name, data in files_below(tiny.root).items() if name not in good and not name.startswith(".cache/")}
    spoil(tiny)
    status, lines = tiny.check()
    stale = [line for line in lines if " LM101 " in line]
    assert status == 1
    status, fixed = tiny.run("fix")
    assert status == 0
    assert len(fixed) == len(stale) + 1
    assert fixed[-1] == "2 pages changed"
    assert "en/report.md:2:25: 74.0 -> 75.0" in fixed
    assert tiny.check()[0] == 0
    after = {name: tiny.read(name).replace("+２５．３％", "+25.3％") for name in good}
    assert after == good
    kept = {name: data for name, data in files_below(tiny.root).items() if name not in good and not name.startswith(".cache/")}
    assert kept == others
    assert tiny.run("fix") == (0, ["0 pages changed"])


def test_fix_check_changes_nothing(tiny: Copy) -> None:
    spoil(tiny)
    before = files_below(tiny.root)
    status, lines = tiny.run("fix", "--check")
    assert status == 1
    assert lines[-1] == "2 pages would change"
    assert files_below(tiny.root) == before
    tiny.run("fix")
    assert tiny.run("fix", "--check") == (0, ["0 pages would change"])


def test_fix_of_one_page(tiny: Copy) -> None:
    spoil(tiny)
    before = tiny.read("en/report.md")
    assert tiny.run("fix", str(tiny.root / "zh/report.md"))[1][-1] == "1 page changed"
    assert tiny.read("en/report.md") == before


def test_what_digits_cannot_mend_is_left(tiny: Copy) -> None:
    tiny.edit("en/report.md", "[15.0×]", "[15.0 %]")
    tiny.edit("en/report.md", "[+25.3 % and −75.0 %]", "[+25.4 %]")
    tiny.edit("zh/report.md", "gain?context=1024)", "gian?context=1024)")
    before = files_below(tiny.root)
    assert tiny.run("fix") == (0, ["0 pages changed"])
    assert files_below(tiny.root) == before


@pytest.mark.parametrize("ends", [b"\r\n", b"\n"])
def test_line_ends_and_byte_order_mark_stay(tiny: Copy, ends: bytes) -> None:
    text = b"\xef\xbb\xbf" + tiny.read("en/report.md").encode().replace(b"\n", ends)
    tiny.write("en/report.md", text.replace(b"twenty-five", b"twenty-six"))
    assert tiny.run("fix")[1][-1] == "1 page changed"
    assert (tiny.root / "en/report.md").read_bytes() == text


@pytest.mark.parametrize("other", [b"\r\n", b"\r", b"\n\r", b"\x0b", "\u2028".encode(), "\x85".encode()])
def test_mixed_line_ends_stay(tiny: Copy, other: bytes) -> None:
    text = tiny.read("en/report.md").encode() + b"One." + other + b"Two.\n" + other + b"Three.\r\nFour."
    tiny.write("en/report.md", text.replace(b"twenty-five", b"twenty-six"))
    assert tiny.run("fix")[1][-1] == "1 page changed"
    assert (tiny.root / "en/report.md").read_bytes() == text


def test_the_mode_of_a_file_stays(tiny: Copy) -> None:
    spoil(tiny)
    page = tiny.root / "en/report.md"
    page.chmod(0o640)
    tiny.run("fix")
    assert page.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in page.parent.iterdir()) == ["index.md", "report.md"]


def test_a_comment_keeps_no_wrong_number(tiny: Copy) -> None:
    tiny.edit("en/report.md", "Base runs at [40.00 tok/s]", "<!-- ledgermark: allow LM101 as it was published -->\nBase runs at [41.00 tok/s]")
    assert [line.split()[1] for line in tiny.check()[1][:-1]] == ["LM903", "LM101"]
    tiny.run("fix")
    assert [line.split()[1] for line in tiny.check()[1][:-1]] == ["LM903"]


@pytest.mark.parametrize(("number", "shown"), [(1100, "one thousand"), (12_345, "twelve"), (999, "one hundred")])
def test_words_can_be_read_again(tiny: Copy, number: int, shown: str) -> None:
    tiny.edit("data/trace.csv", "12000", str(number))
    tiny.edit("en/report.md", "[12 000]", f"[{shown}]")
    tiny.edit("zh/report.md", "[1.2万]", "[一百]")
    tiny.run("fix")
    assert tiny.check()[1] == [tiny.check()[1][-1]]


def test_edits_are_put_where_they_belong() -> None:
    edits = [Edit(6, "2", "22"), Edit(0, "1", "")]
    assert apply_edits("1 and 2, 3", edits) == " and 22, 3"
    assert apply_edits("text", []) == "text"


@pytest.mark.parametrize("edits", [[Edit(0, "x", "y")], [Edit(9, "1", "y")], [Edit(0, "12", "a"), Edit(1, "2", "b")]])
def test_edits_that_do_not_fit_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="the text at"):
        apply_edits("123", edits)


@given(st.text(alphabet="01 ab", max_size=30), st.lists(st.tuples(st.integers(0, 30), st.text(alphabet="xy", max_size=3)), max_size=5))
def test_only_what_is_edited_changes(text: str, changes: list[tuple[int, str]]) -> None:
    edits = {start: Edit(start, text[start], new) for start, new in changes if start < len(text)}
    expected = "".join(edits[at].new if at in edits else char for at, char in enumerate(text))
    assert apply_edits(text, edits.values()) == expected
