"""Blocks of code have the same code in both languages."""

from __future__ import annotations

import pytest

from ledgermark.listings import check_listings
from ledgermark.pages import Page, read_page
from ledgermark.source import Source


def page(language: str, code: str) -> Page:
    return read_page(Source(f"{language}/p.md", f"# A {{#a}}\n\n```{code}\n```\n"), "p.md", language)


def found(english: str, chinese: str) -> list[str]:
    findings = list(check_listings(page("en", english), page("zh", chinese)))
    assert {(finding.path, finding.line, finding.code) for finding in findings} <= {("en/p.md", 3, "LM309")}
    return [finding.message for finding in findings]


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ('python title="a file"\nx > 1', 'python title="文件"\nx > 1'),
        ("python\nx > 1  # one draft", "python\nx > 1    # 只有一个草稿"),
        ("python\nx > 1  # 256: fails", "python\nx > 1  # 256：不符"),
        ("cpp\nint x = 1;  // one", "cpp\nint x = 1;  // 一个"),
        ('sh\necho "all 3 done"', 'sh\necho "3 个都好了"'),
        ("text\nAR = accepted / 2", "text\nAR = 接受的 / 2"),
        ("\nthe words", "\ndie Worte"),
        ("python\nx > 1", "python\nx > 1\ny > 2"),  # other shapes are not lined up
        ("python\nx > 1\n```\n\n```sh\nls", "python\nx > 8"),
    ],
)
def test_the_same_code(english: str, chinese: str) -> None:
    assert found(english, chinese) == []


@pytest.mark.parametrize(
    ("english", "chinese", "here", "there"),
    [
        ("python\nx > 1", "python\nx > 8", "x > 1", "x > 8"),
        ("python\nx > 1  # 256: fails", "python\nx > 1  # 128：不符", "x > 1  # 256: fails", "x > 1  # 128：不符"),
        ("sh\nls --all\nrun --eager", "sh\nls --all\nrun --lazy", "run --eager", "run --lazy"),
        ('sh\necho "all 3 done"', 'sh\necho "4 个都好了"', 'echo "all 3 done"', 'echo "4 个都好了"'),
        ("text\nAR = accepted / 2", "text\nAR = 接受的 / 3", "AR = accepted / 2", "AR = 接受的 / 3"),
        ("python\na\n```\n\n```sh\nk=1", "python\na\n```\n\n```sh\nk=2", "", ""),
    ],
)
def test_other_code(english: str, chinese: str, here: str, there: str) -> None:
    if here:
        assert found(english, chinese) == [f"the line of code '{here}' in the section 'a' is '{there}' in zh/p.md"]
    else:
        (finding,) = check_listings(page("en", english), page("zh", chinese))
        assert finding.line == 7
