"""What a command may answer to a broken project: findings with places, or one line why it cannot run; never an exception."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.copies import Copy

ALL_FORMS = ("text", "json", "github")
PLACE = re.compile(r"\S.*?:[0-9]+:[0-9]+: LM[0-9]{3} \S.*")


def answers(tiny: Copy, *forms: str) -> int:
    """Return the exit status of the check, having seen that its output, in some formats, can be printed and has its form."""
    statuses = set()
    for form in forms or ("text",):
        status, lines = tiny.check("--format", form)
        statuses.add(status)
        "\n".join(lines).encode()
        if status == 1 and form == "text":
            assert len(lines) > 1
            assert [line for line in lines[:-1] if not PLACE.fullmatch(line)] == []
        if status == 1 and form == "json":
            assert json.loads("\n".join(lines))["findings"]
        if status == 1 and form == "github":
            assert [line for line in lines if not line.startswith("::error file=")] == []
        if status == 2:
            assert [line for line in lines if not line.startswith("Error: ")] == []
    assert len(statuses) == 1
    return statuses.pop()
