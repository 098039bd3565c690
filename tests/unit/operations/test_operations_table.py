"""The table of operations in, whether a surface can be made of its rows out."""

import ast
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_type_hints

import pytest
from pydantic import Field, TypeAdapter, ValidationError, create_model

from pellucid.app import App
from pellucid.errors import InputError, field_name, spelled_by
from pellucid.model.wire import Wire
from pellucid.operations.expectations import expectation_in_words
from pellucid.operations.memory.remembering import REMEMBER
from pellucid.operations.operation import CONTEXT, Call, flag_of
from pellucid.operations.recall.recalling import RECALL
from pellucid.operations.recall.request import RecallInput
from pellucid.surfaces.answers import presenter
from pellucid.surfaces.command_line import commands
from pellucid.surfaces.spelling import shell_spelling
from pellucid.table import OPERATIONS

NAMES = [row.name for row in OPERATIONS]
SUMMARY_AT_MOST = 61
TOLD_ELSEWHERE = ("Flag", "Operation", "re.compile")


@pytest.mark.parametrize("row", OPERATIONS, ids=NAMES)
def test_a_row_says_what_it_does_and_what_each_field_means(row) -> None:
    assert re.fullmatch(r"[a-z]+\.[a-z_]+", row.name)
    assert 10 <= len(row.help.split("\n")[0].split(". ")[0]) <= SUMMARY_AT_MOST
    assert issubclass(row.input, Wire)
    schema = row.input.model_json_schema(by_alias=False)["properties"] if row.input.model_fields else {}
    for name, field in row.input.model_fields.items():
        flag = flag_of(field)
        assert flag or name in CONTEXT or not field.is_required()
        if flag:
            assert schema[name]["description"].removeprefix("false: ") == flag.text


@pytest.mark.parametrize("row", OPERATIONS, ids=NAMES)
def test_a_row_names_what_its_function_answers_with(row) -> None:
    """A surface derives its answer's schema from the row's type."""
    answers = set(one_of(get_type_hints(row.run)["return"]))
    assert answers == set(one_of(row.output))
    if row.output != Iterator[str]:
        assert all(issubclass(kind, Wire) for kind in answers)
        assert TypeAdapter(row.output).json_schema(mode="serialization")


def one_of(kind: Any) -> tuple[Any, ...]:
    """The types of a union, or the one that it is."""
    return get_args(kind) if isinstance(kind, UnionType) else (kind,)


def test_every_name_and_every_command_stands_once() -> None:
    assert len(set(NAMES)) == len(NAMES)
    commands = [row.on.cli for row in OPERATIONS if row.on.cli]
    assert len(set(commands)) == len(commands)


@pytest.mark.parametrize("row", [row for row in OPERATIONS if row.on.cli], ids=lambda row: row.name)
def test_a_command_finds_its_row_in_the_module_of_its_function(row) -> None:
    module = import_module(commands()[row.on.cli].module)
    assert any(each is row for each in vars(module).values())


@pytest.mark.parametrize("row", OPERATIONS, ids=NAMES)
def test_a_row_names_its_text_unless_its_answer_is_none(row) -> None:
    """An X-ray has formats of its own, and lines are printed as they come."""
    if row.text.presenter:
        assert callable(presenter(row.text.presenter))
    else:
        assert row.gives_xray or row.output == Iterator[str] or hasattr(row.output, "as_text")


def test_an_error_names_a_field_and_each_surface_spells_it() -> None:
    error = InputError(f"{field_name('top_k')} is off", next_step=f"leave {field_name('categories')} out")
    assert str(error) == "top_k is off (leave categories out)"
    with spelled_by(shell_spelling([RecallInput], {})):
        told = f"{field_name('top_k')} is off", f"leave {field_name('categories')} out"
    assert told == ("--top-k is off", "leave --category out")


def test_an_operation_is_called_by_its_fields_in_the_place_of_the_call(whole: App) -> None:
    call = Call.over(whole)
    kept = REMEMBER(call, content="The crane lifts forty tonnes", tags=("port",))
    assert kept.memory.namespace == call.settings.namespace
    found = RECALL(call, query="what does the crane lift?", top_k=1)
    assert [each.memory.id for each in found.memories] == [kept.memory.id]
    with pytest.raises(InputError, match=r"^confidence expects a number from 0 to 1; got 7") as caught:
        REMEMBER(call, content="x", confidence=7)
    assert caught.value.code == "invalid_confidence"


@pytest.mark.parametrize(
    ("least", "most", "said"),
    [
        (None, 0, "a whole number of at most 0"),
        (0, None, "a whole number of at least 0"),
        (-5, 0, "a whole number from -5 to 0"),
        (None, None, "a whole number"),
    ],
)
def test_a_bound_of_zero_is_said_like_any_other(least: int | None, most: int | None, said: str) -> None:
    model = create_model("Bounded", offset=(int, Field(ge=least, le=most)))
    with pytest.raises(ValidationError) as caught:
        model.model_validate({"offset": "x"})
    assert expectation_in_words(model, caught.value.errors()[0]) == said


@pytest.mark.parametrize("given", [1, "8192", " +7 ", 100.0, None])
def test_a_budget_is_a_positive_whole_number_or_its_digits(given: object) -> None:
    budget = RecallInput(query="q", namespace="a/b", budget=given).budget
    assert budget == (None if given is None else int(given))


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ("abc", '"abc"'),
        ("", '""'),
        ("0", '"0"'),
        ("-5", '"-5"'),
        ("1.5", '"1.5"'),
        ("1_000", '"1_000"'),
        ("１２", '"１２"'),
        (0, "0"),
        (1.5, "1.5"),
        (float("nan"), "NaN"),
        (True, "true"),
        ([1], "a list"),
        (2**53, "9007199254740992"),
        ("9" * 5000, '"' + "9" * 79 + "…"),
        ("\x1b[", r'"\u001b["'),
    ],
)
def test_any_other_budget_is_refused_with_what_was_given(given: object, got: str) -> None:
    with pytest.raises(InputError) as caught:
        RecallInput(query="q", namespace="a/b", budget=given)
    assert (caught.value.code, caught.value.message) == (
        "invalid_budget",
        f"budget expects a positive integer; got {got}",
    )


def test_no_message_beneath_the_surfaces_spells_a_flag() -> None:
    """Fields are named, and each surface spells them; only a whole command that is a next step has its flags.

    Left out: what `git` is told, the layouts of our own output that capture knows again, and what `why` says to type.
    """
    source = Path(__file__).parents[3] / "src" / "pellucid"
    others = ("surfaces/", "git/", "capture/own_output.py", "xray/why/suggest.py")
    modules = {str(path.relative_to(source)): ast.parse(path.read_text("utf-8")) for path in source.rglob("*.py")}
    spelled_out = {
        f"{name}:{text.lineno}: {text.value}"
        for name, tree in modules.items()
        if not name.startswith(others)
        for text in _messages(tree)
        if re.search(r"(?<![^\s`(])--[a-z]", text.value)
        and not re.search(r"pellucid |`git |diff --|var\(--", text.value)
    }
    assert not spelled_out, json.dumps(sorted(spelled_out), indent=1)


def _messages(tree: ast.Module) -> Iterator[Any]:
    """The texts of several words that are no docstrings or patterns, and do not describe a field or an operation."""
    told_elsewhere = {
        id(text)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) or (isinstance(node, ast.Call) and ast.unparse(node.func) in TOLD_ELSEWHERE)
        for text in ast.walk(node)
        if isinstance(node, ast.Call) or isinstance(node.value, ast.Constant)
    }
    for text in ast.walk(tree):
        is_message = isinstance(text, ast.Constant) and isinstance(text.value, str) and " " in text.value
        if is_message and id(text) not in told_elsewhere:
            yield text
