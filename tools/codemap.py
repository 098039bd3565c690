"""The first docstring lines of all modules in, docs/codemap.md out; `--check` only says whether the page is up to date.

Rooms are in the order of the path that data takes, modules in a room in alphabetical order.
"""

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOMS = (
    "settings",
    "language",
    "model",
    "capture",
    "observe",
    "memory",
    "documents",
    "git",
    "graph",
    "vault",
    "recall",
    "xray",
    "telemetry",
    "lab",
    "store",
    "encoders",
    "operations",
    "adapters",
    "surfaces",
)
PAGE = Path("docs/codemap.md")
HEAD = """\
# Codemap

One line a module, from its docstring; rooms in the order in which data passes them. `tools/codemap.py` writes it.

"""
PACKAGE = Path("src/pellucid")


def first_line(path: Path) -> str:
    """Return the first docstring line of a module; empty if it has no docstring."""
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n", 1)[0].strip()


def modules(folder: Path) -> list[Path]:
    """Return the modules and rooms in a folder, in the codemap's order."""
    rooms = [path.parent for path in folder.glob("*/__init__.py")]
    files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    order = {name: place for place, name in enumerate(ROOMS)}
    return sorted(files) + sorted(rooms, key=lambda room: (order.get(room.name, len(ROOMS)), room.name))


def entries(folder: Path, depth: int = 0) -> Iterator[tuple[int, Path, Path]]:
    """Yield every module and room below a folder as (depth, the path to show, the file with its docstring)."""
    for path in modules(folder):
        if path.is_dir():
            yield depth, path, path / "__init__.py"
            yield from entries(path, depth + 1)
        else:
            yield depth, path, path


def codemap(root: Path) -> str:
    """Return the text of the page: one line a module."""
    lines: list[str] = []
    for depth, shown, described in entries(root / PACKAGE):
        name = f"{shown.name}/" if shown.is_dir() else shown.stem
        link = f"../{shown.relative_to(root).as_posix()}"
        lines.append(f"{'  ' * depth}- [`{name}`]({link}): {first_line(described)}")
    return HEAD + "\n".join(lines) + "\n"


def problems(root: Path) -> Iterator[str]:
    """Yield the reasons why no codemap can be made: modules without a docstring, rooms without a place in `ROOMS`."""
    for depth, shown, described in entries(root / PACKAGE):
        if not first_line(described):
            yield f"{described.relative_to(root)}:1: no docstring: what goes in and comes out, or what it is?"
        if depth == 0 and shown.is_dir() and shown.name not in ROOMS:
            yield f"{shown.relative_to(root)}: give the room its place in ROOMS of tools/codemap.py"


def main() -> int:
    """Rewrite the page, or with `--check` compare it; return 1 if something is to be done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    options = parser.parse_args()
    page: Path = options.root / PAGE
    messages = list(problems(options.root))
    text = codemap(options.root)
    if not options.check:
        page.write_text(text, "utf-8")
    elif not page.exists() or page.read_text("utf-8") != text:
        messages.append(f"{PAGE}: the codemap is stale; run make docs")
    print("\n".join(messages) or "the codemap is true")
    return bool(messages)


if __name__ == "__main__":
    sys.exit(main())
