"""The manifest and every test file in, ids without a test and marks without an id out."""

import ast
import runpy
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
MANIFEST = runpy.run_path(str(TESTS / "requirements.py"))


def marked(path: Path) -> Iterator[str]:
    """The ids in the `requirement(...)` marks of a test file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.requirement":
            yield from (ast.literal_eval(argument) for argument in node.args)


SHOWN = {id_: path.relative_to(TESTS) for path in sorted(TESTS.rglob("test_*.py")) for id_ in marked(path)}


def test_every_mark_names_a_requirement() -> None:
    unknown = {id_: str(path) for id_, path in SHOWN.items() if id_ not in MANIFEST["REQUIREMENTS"]}
    assert not unknown


def test_every_requirement_is_shown_by_a_test_or_stands_open() -> None:
    assert not MANIFEST["REQUIREMENTS"].keys() - SHOWN.keys() - MANIFEST["OPEN"]


def test_no_open_requirement_is_shown_by_a_test() -> None:
    assert not MANIFEST["OPEN"] & SHOWN.keys(), "take them out of OPEN in tests/requirements.py"


def test_a_mark_is_found_on_functions_classes_and_parameters(tmp_path: Path) -> None:
    path = tmp_path / "test_x.py"
    path.write_text(
        "@pytest.mark.requirement('A-1')\nclass T: ...\n"
        "@pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.requirement('A-2', 'A-3'))])\ndef f(): ...\n"
    )
    assert sorted(marked(path)) == ["A-1", "A-2", "A-3"]
