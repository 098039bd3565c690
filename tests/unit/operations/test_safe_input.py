"""What is asked in, what may be written down of it out: no secret in any text, and none longer than its limit."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import pellucid.lab
import pellucid.operations
from kits.intake import HERE
from kits.vault import ask, keep
from pellucid import Pellucid
from pellucid.app import App
from pellucid.errors import InputError
from pellucid.memory.unit_of_work import UnitOfWork
from pellucid.model.wire import Wire
from pellucid.operations.memory.changing import UpdateInput, VerbInput, apply_verb, update
from pellucid.operations.memory.remembering import RememberInput
from pellucid.operations.memory.storytelling import history_of_memory
from pellucid.operations.recall.recalling import RecallInput
from pellucid.operations.safe_input import LONGEST_CONTENT, LONGEST_TEXT, SafeInput
from pellucid.recall.query.limits import MAX_CHARACTERS

SECRET = "hunter42x"
SAID = f"password={SECRET}"
_LOOKING = """
    AblateInput AcceptInput AdoptInput AuditInput BackfillInput BriefInput ConsolidateInput DiffInput DocumentInput
    DocumentsInput EpisodeInput EpisodesInput EventInput ExplainInput ExportInput ForgetInput GraphAuditInput
    GraphShowInput HistoryInput HomeInput HookInput ImportInput IndexDocsInput LabAllInput LabInput LedgerInput
    LifecycleInput LiftInput ListInput ModelsInput MoveInput ObserveInput PinInput PinSnapshotInput ProjectsInput
    PromoteInput PurgeInput RemoveInput ReplayInput ReportInput ReverifyInput RollbackInput ShowInput SnapshotsInput
    SourceInput SpoolInput TierListInput TrustListInput UndoInput WhyInput ContextInput EraseInput ResultInput
    ReviewInput ServingInput SessionInput SettingsInput StatsInput SubjectInput TimingsInput XrayInput TokensInput
    """
LOOKS_ONLY = frozenset(_LOOKING.split())
"""Requests that name what is there, or files and turns that capture reads (as those of the session that a `HookInput`
names): no word of theirs is written down."""


def requests() -> Iterator[type[Wire]]:
    """Every request that an operation takes."""
    rooms = ((pellucid.operations.__path__, "pellucid.operations."), (pellucid.lab.__path__, "pellucid.lab."))
    for found in (each for room in rooms for each in pkgutil.walk_packages(*room)):
        module = importlib.import_module(found.name)
        for name, kind in inspect.getmembers(module, inspect.isclass):
            if name.endswith("Input") and kind.__module__ == module.__name__ and issubclass(kind, Wire):
                yield kind


def bytes_of(home: Path) -> bytes:
    return b"".join(
        path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file() and "models" not in path.parts
    )


def test_every_request_is_safe_or_known_to_write_no_word_down():
    unsafe = {kind.__name__ for kind in requests() if not issubclass(kind, SafeInput)}

    assert unsafe == LOOKS_ONLY


@pytest.mark.requirement("CAP-2")
def test_no_secret_of_any_text_that_is_asked_with_reaches_the_home(whole: App, home: Path):
    made = keep(
        whole,
        f"The staging login is bob, {SAID}",
        tags=(SAID,),
        entity_ref=SAID,
        scopes=(SAID,),
        session_id=SAID,
        agent=SAID,
        attributes={"password": SECRET, SAID: "yes"},
    )
    changed = update(
        whole,
        UpdateInput(
            namespace=HERE,
            memory_id=made.memory.id,
            content=f"Log in with {SAID}",
            tags=(SAID,),
            attributes={"api-password": SECRET},
            agent=SAID,
        ),
    )
    for verb in ("dispute", "archive", "retract"):
        apply_verb(whole, verb, VerbInput(namespace=HERE, memory_id=changed.memory.id, reason=SAID))
    ask(
        whole,
        f"where do I log in with {SAID}",
        session_id=SAID,
        agent=SAID,
        scopes=(SAID,),
        tags=(SAID,),
        in_session=SAID,
        by_agent=SAID,
        review=f"src/{SAID}/login.py",
    )

    reasons = {row.reason_code for row in history_of_memory(whole, HERE, changed.memory.id).events}
    assert made.redactions["password"] >= 8
    assert any("[redacted:password]" in reason for reason in reasons)
    assert SECRET.encode() not in bytes_of(home)


@pytest.mark.requirement("CAP-2")
def test_a_text_that_nobody_looked_at_loses_its_secrets_before_it_is_put_on_record(whole: App, home: Path):
    row: dict[str, object] = {
        "kind": "pass",
        "name": "report",
        "namespace": HERE,
        "started": "2026-01-01T00:00:00.000Z",
        "finished": "2026-01-01T00:00:00.000Z",
        "counts": {},
        "note": SAID,
        "deep": [{"er": SAID}],
    }

    whole.unit_of_work.commit("ledger", (), [row])

    held = bytes_of(home)
    assert b"[redacted:password]" in held
    assert SECRET.encode() not in held


def test_ids_and_digests_are_put_on_record_as_they_are(whole: App, home: Path):
    digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

    whole.unit_of_work.commit(
        "ledger", (), [{"kind": "tombstone", "namespace": HERE, "keys": [digest], "memoryId": "mem_x"}]
    )

    assert digest.encode() in bytes_of(home)
    assert isinstance(whole.unit_of_work, UnitOfWork)


@pytest.mark.parametrize(
    ("kind", "field", "value", "longest"),
    [
        (RememberInput, "content", "a" * (LONGEST_CONTENT + 1), LONGEST_CONTENT),
        (RememberInput, "tags", ("b" * (LONGEST_TEXT + 1),), LONGEST_TEXT),
        (RememberInput, "attributes", {"c": "c" * (LONGEST_TEXT + 1)}, LONGEST_TEXT),
        (UpdateInput, "content", "d" * (LONGEST_CONTENT + 1), LONGEST_CONTENT),
        (VerbInput, "reason", "e" * (LONGEST_TEXT + 1), LONGEST_TEXT),
        (RecallInput, "query", "f" * (MAX_CHARACTERS + 1), MAX_CHARACTERS),
    ],
)
def test_a_text_beyond_its_limit_is_refused_with_what_why_and_what_next(
    kind: type[SafeInput], field: str, value: object, longest: int
):
    given = {"namespace": HERE, "memory_id": "mem_0", "content": "x", "query": "x", field: value}

    with pytest.raises(InputError) as refused:
        kind(**{name: each for name, each in given.items() if name in kind.model_fields})

    assert refused.value.code == f"invalid_{field}"
    assert f"{longest} are" in refused.value.message
    assert refused.value.next_step


def test_a_text_at_its_limit_is_taken():
    assert len(RememberInput(namespace=HERE, content="a" * LONGEST_CONTENT).content) == LONGEST_CONTENT
    assert len(RecallInput(namespace=HERE, query="a" * MAX_CHARACTERS).query) == MAX_CHARACTERS


def test_the_facade_refuses_too_long_a_memory_and_names_another_way(home: Path):
    with Pellucid(home, namespace=HERE) as memory, pytest.raises(InputError, match=r"document\.index"):
        memory.remember("word " * 5_000)
