"""The example at each code of docs/findings.md: what is written before gives the lines shown, what is written after is clean.

An example is a `diff`: `---` names a file of the site in miniature (tests/sites/base); lines with `-` are wrong, lines with `+` right, others
belong to both. What is right already stands in that site and is replaced, or both are put at the end of the file, or are the file.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledgermark.findings import CODES
from tests.copies import lay_over

if TYPE_CHECKING:
    from tests.copies import Copy

ROOT = Path(__file__).resolve().parents[2]
FINDINGS = ROOT / "docs/findings.md"
_EXAMPLE = re.compile(r"```diff\n(?P<diff>.*?)```\n\n```text\n(?P<lines>.*?)```\n", re.DOTALL)


@dataclass(frozen=True)
class Hunk:
    """What changes in one place of a file: the text before and after it is mended."""

    path: str
    before: str
    after: str


def entries() -> dict[str, str]:
    """Return the entry of each code."""
    parts = re.split(r"^### (LM[0-9]+)$", FINDINGS.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def hunks(diff: str) -> list[Hunk]:
    """Return the changes of an example."""
    found = []
    for part in re.split(r"^--- ", diff, flags=re.MULTILINE)[1:]:
        path, *lines = part.rstrip("\n").split("\n")
        before = "\n".join(line[1:] for line in lines if line[:1] != "+")
        after = "\n".join(line[1:] for line in lines if line[:1] != "-")
        found.append(Hunk(path, before, after))
    return found


def put(copy: Copy, hunk: Hunk, *, mended: bool) -> None:
    """Write one side of a change into the site in miniature, which holds the other or none."""
    text = copy.read(hunk.path) if (copy.root / hunk.path).exists() else ""
    new = hunk.after if mended else hunk.before
    if hunk.after and hunk.after in text:
        text = text.replace(hunk.after, new, 1)
    elif new:
        text = f"{text}\n{new}\n" if text else f"{new}\n"
    if text:
        copy.write(hunk.path, text)


def site(target: Path, changes: list[Hunk], *, mended: bool) -> Copy:
    """Return the site in miniature with one side of an example."""
    copy = lay_over(ROOT / "tests/sites/base", (), target)
    for hunk in changes:
        put(copy, hunk, mended=mended)
    return copy


def commit(copy: Copy) -> None:
    """Make the project a repository with all of it in one commit."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@tiny.example")
    for command in (("init", "--quiet"), ("add", "--all"), (*identity, "commit", "--quiet", "--message", "first")):
        subprocess.run(["git", "-C", str(copy.root), *command], check=True)


@pytest.mark.parametrize("code", CODES)
def test_an_example(code: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    example = _EXAMPLE.search(entries()[code])
    assert example, f"no example at {code}"
    changes = hunks(example["diff"])
    mended = site(tmp_path / "mended", changes, mended=True)
    status, said = mended.check()
    assert (status, said[1:]) == (0, []), said
    if code == "LM411":
        # What only the history of a repository can tell.
        commit(mended)
        for hunk in changes:
            mended.edit(hunk.path, hunk.after, hunk.before)
        status, lines = mended.check()
    else:
        status, lines = site(tmp_path / "wrong", changes, mended=False).check()
    assert status == 1
    found = "".join(f"{line}\n" for line in lines if f": {code} " in line)
    assert found
    if request.config.getoption("--write-expected"):
        text = FINDINGS.read_text("utf-8")
        FINDINGS.write_text(text.replace(example[0], example[0].replace(f"```text\n{example['lines']}", f"```text\n{found}")), "utf-8")
        return
    assert example["lines"] == found
