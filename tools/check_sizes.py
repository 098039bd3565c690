"""A tree of Python files in, one line out for each thing in it that is too big, too full, or has an empty name."""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

MODULE_LINES = {"src": 400, "tests": 600, "tools": 400, "bench": 400}
ROOM_MODULES = 12
FUNCTION_LINES = 50
PUBLIC_METHODS = 13
LAYOUT_OF_ITS_OWN = "# fmt:" + " skip"
NAMES_THAT_SAY_NOTHING = {"utils", "helpers", "manager", "core", "base"}


def problems(root: Path) -> Iterator[str]:
    """Yield every breach of the limits below `root`, as `path:line: problem`."""
    yield from _full_rooms(root)
    for folder, limit in MODULE_LINES.items():
        for path in sorted((root / folder).rglob("*.py")):
            where = path.relative_to(root)
            if NAMES_THAT_SAY_NOTHING & {*where.with_suffix("").parts}:
                yield f"{where}:1: the name says nothing; take a noun or verb of the domain"
            text = path.read_text("utf-8")
            if LAYOUT_OF_ITS_OWN in text:
                yield f"{where}:1: a layout of its own; the formatter lays the code out"
            if (lines := len(text.splitlines())) > limit:
                yield f"{where}:1: module has {lines} lines, {limit} at most"
            for node in ast.walk(ast.parse(text, str(where))):
                yield from (f"{where}:{problem}" for problem in _node_problems(node))


def _full_rooms(root: Path) -> Iterator[str]:
    """Yield the rooms with too many modules."""
    rooms = Counter(path.parent for path in (root / "src").rglob("*.py") if path.stem != "__init__")
    for room, count in sorted(rooms.items()):
        if count > ROOM_MODULES:
            yield f"{room.relative_to(root)}:1: room has {count} modules, {ROOM_MODULES} at most"


def _node_problems(node: ast.AST) -> Iterator[str]:
    """Yield the problem of a function that is too long, or of a class with too many public methods."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"{node.lineno}: {node.name} has {lines} lines, {FUNCTION_LINES} at most"
        case ast.ClassDef():
            names = {item.name for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)}
            public = [name for name in names if not name.startswith("_")]
            if len(public) > PUBLIC_METHODS:
                yield f"{node.lineno}: {node.name} has {len(public)} public methods, {PUBLIC_METHODS} at most"
        case _:
            pass


if __name__ == "__main__":
    found = list(problems(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[1]))
    print("\n".join(found) or "sizes and names are within their limits")
    sys.exit(bool(found))
