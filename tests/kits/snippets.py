"""Markdown pages in, the snippets that must run out.

Two kinds of fenced block run: `python`, and of `console` every line that starts with `$ pellucid `.
The word `no-run` after the language leaves a block out. The snippets of a page run in order and build on one another:
one set of Python names, one working directory (with the repository's `examples/` in it), one Pellucid home.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if page.exists()]
EXAMPLES = sorted([*(ROOT / "examples").glob("*.py"), *(ROOT / "docs").rglob("*.py")])
FENCE = re.compile(r"^ *```(?P<info>[^\n`]*)\n(?P<body>.*?)^ *```\s*$", re.MULTILINE | re.DOTALL)
PROMPT = "$ pellucid "


@dataclass(frozen=True, slots=True)
class Snippet:
    """One thing to run: Python source, or one shell line without its prompt."""

    kind: Literal["python", "shell"]
    text: str
    where: str


def snippets(page: Path) -> Iterator[Snippet]:
    """The runnable snippets of a page, in its order."""
    text = page.read_text("utf-8")
    for fence in FENCE.finditer(text):
        language, *words = fence["info"].split() or [""]
        line = text.count("\n", 0, fence.start()) + 1
        where = f"{page.name}:{line}"
        if "no-run" in words:
            continue
        if language == "python":
            yield Snippet("python", fence["body"], where)
        elif language == "console":
            typed = fence["body"].replace("\\\n", " ").splitlines()
            yield from (Snippet("shell", line[2:], where) for line in typed if line.startswith(PROMPT))
