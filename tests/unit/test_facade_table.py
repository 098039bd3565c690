"""The table of operations in, whether the façade reaches each out."""

import ast
from pathlib import Path

import pytest

from pellucid import Pellucid, facade
from pellucid.errors import InputError
from pellucid.operations.operation import Operation
from pellucid.table import OPERATIONS

BY_NAME = {
    "a program opens a home by opening it": {"home.init"},
    "done where the machine is looked after": {
        "home.accept_loss",
        "home.models",
        "home.settings",
        "lab.run",
        "lab.run_all",
    },
    "`house` has them under names of their own": {"home.doctor", "home.rebuild", "memory.history"},
    "what other programs' sessions tell, and of them": {"hook.event", "session.claim", "session.waiting"},
    "a process that opens a home needs no token": {"token.create", "token.list", "token.revoke", "token.rotate"},
    "an agent's part": {"memory.cite", "recall.feedback", "session.checkpoint", "session.wrap"},
    "looked at by people": {
        "document.list",
        "document.show",
        "document.remove",
        "lifecycle.report",
        "recall.copy",
        "recall.context",
        "memory.recalls",
        "memory.review",
        "recall.list",
        "recall.open",
        "recall.pin",
        "recall.export",
        "recall.timings",
        "recall.event",
        "session.brief",
        "session.show",
        "telemetry.stats",
        "tier.explain",
        "tier.list",
        "trust.explain",
        "trust.list",
    },
    "seldom done by a program": {
        "data.erase",
        "data.export",
        "lifecycle.consolidate",
        "lifecycle.run",
        "memory.adopt",
        "trust.promote",
        "trust.quarantine",
        "trust.rollback",
    },
}
"""Operations that have no method of their own on purpose, by why: `memory.call(name, …)` does them."""


def called() -> set[str]:
    """The operations whose rows the façade's methods call."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(Path(facade.__file__ or "").read_text("utf-8"))):
        row: object = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            row = getattr(facade, node.func.id, None)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            row = getattr(getattr(facade, node.func.value.id, None), node.func.attr, None)
        found |= {row.name} if isinstance(row, Operation) else set()
    return found


def test_every_operation_has_a_method_or_a_reason_to_have_none() -> None:
    by_name = {name for names in BY_NAME.values() for name in names}
    assert not called() & by_name
    assert called() | by_name == {row.name for row in OPERATIONS}


def test_any_operation_is_done_by_its_name(tmp_path: Path, places: tuple[Path, Path]) -> None:
    with Pellucid(tmp_path / "home", namespace="local/default") as memory:
        kept = memory.remember("The crane lifts forty tonnes", category="fact")
        assert memory.call("memory.show", memory_id=kept.memory.id).memory.id == kept.memory.id
        assert memory.call("tier.list").to_wire()
        with pytest.raises(InputError, match=r"no operation is called 'tier.lists'.*did you mean tier.list\?"):
            memory.call("tier.lists")
        with pytest.raises(InputError, match="limit expects"):
            memory.call("episode.list", limit=-1)
