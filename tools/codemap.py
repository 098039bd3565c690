"""First docstring lines in, docs/codemap.md out; `--check` only says whether it is still true.

Rooms stand in the order of the path that data takes, everything inside a room in alphabetical order.
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
    "index",
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
    """The first docstring line of a module, or "" when it has none."""
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n", 1)[0].strip()


def modules(folder: Path) -> list[Path]:
    """The modules and rooms inside a folder, in the order in which the codemap shows them."""
    rooms = [path.parent for path in folder.glob("*/__init__.py")]
    files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    order = {name: place for place, name in enumerate(ROOMS)}
    return sorted(files) + sorted(rooms, key=lambda room: (order.get(room.name, len(ROOMS)), room.name))


def entries(folder: Path, depth: int = 0) -> Iterator[tuple[int, Path, Path]]:
    """Every module below a folder as (depth, what the reader opens, the file that describes it)."""
    for path in modules(folder):
        if path.is_dir():
            yield depth, path, path / "__init__.py"
            yield from entries(path, depth + 1)
        else:
            yield depth, path, path


def codemap(root: Path) -> str:
    """The page: one line a module."""
    lines: list[str] = []
    for depth, shown, described in entries(root / PACKAGE):
        name = f"{shown.name}/" if shown.is_dir() else shown.stem
        link = f"../{shown.relative_to(root).as_posix()}"
        lines.append(f"{'  ' * depth}- [`{name}`]({link}): {first_line(described)}")
    return HEAD + "\n".join(lines) + "\n"


def problems(root: Path) -> Iterator[str]:
    """What keeps a codemap from being made: modules that do not say what they are, rooms without a place."""
    for depth, shown, described in entries(root / PACKAGE):
        if not first_line(described):
            yield f"{described.relative_to(root)}:1: no docstring: what goes in and comes out, or what it is?"
        if depth == 0 and shown.is_dir() and shown.name not in ROOMS:
            yield f"{shown.relative_to(root)}: give the room its place in ROOMS of tools/codemap.py"


def main() -> int:
    """Rewrite the page, or with `--check` compare it; 1 when something is to be done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    given = parser.parse_args()
    page: Path = given.root / PAGE
    found = list(problems(given.root))
    new = codemap(given.root)
    if not given.check:
        page.write_text(new, "utf-8")
    elif not page.exists() or page.read_text("utf-8") != new:
        found.append(f"{PAGE}: the codemap is stale; run make docs")
    print("\n".join(found) or "the codemap is true")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
