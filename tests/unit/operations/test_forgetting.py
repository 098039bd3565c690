"""Something forgotten in, a home without a byte of it out; and nothing that brings it back."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from kits.intake import HERE, START, held, session, take
from kits.vault import ask, keep
from pellucid.app import App, open_app
from pellucid.errors import InputError, NotFoundError
from pellucid.operations.memory.forgetting import (
    ForgetInput,
    PurgeInput,
    forget,
    preview_forget,
    preview_purge,
    purge,
)
from pellucid.operations.memory.storytelling import history_of_memory
from pellucid.operations.recall.recalling import xray_by_id
from pellucid.operations.remains import finish_erasures_if_possible
from pellucid.operations.session.intake import Mode
from pellucid.settings import load

CANARY = "zanzibarquokka"
SECRET = f"The {CANARY} gateway listens on port 7443."


def _asked(*ids: str, chain: bool = False) -> ForgetInput:
    return ForgetInput(namespace=HERE, memory_ids=ids, chain=chain)


def _scan(home: Path, *needles: bytes) -> dict[str, list[str]]:
    """Every file, and every file name, of a home that holds one of these byte strings; the model is not ours."""
    found: dict[str, list[str]] = {}
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if name.startswith("models"):
            continue
        data = name.encode().lower() + (path.read_bytes() if path.is_file() else b"")
        for needle in needles:
            if needle in data or needle in data.lower():
                found.setdefault(name, []).append(needle[:12].hex())
    return found


def _vector_bytes(app: App, text: str) -> bytes:
    encoding = next(iter(app.embedder.encode([text])))
    return encoding.vector.astype(np.float16).tobytes()


def _token_bytes(app: App, text: str) -> bytes:
    return next(iter(app.embedder.encode([text]))).tokens.tobytes()


@pytest.mark.requirement("FORGET-1")
@pytest.mark.parametrize("mode", ["extract", "verbatim"])
def test_no_byte_of_what_was_forgotten_stays_anywhere(whole: App, home: Path, mode: str) -> None:
    turns = session(SECRET, "We decided to cut releases every Tuesday.", "Backups are kept for 30 days.")
    take(whole, turns, mode)  # pyright: ignore[reportArgumentType]
    content = next(each for each in held(whole) if CANARY in each)
    answer = ask(whole, f"which port does the {CANARY} gateway use")
    needles = (CANARY.encode(), _vector_bytes(whole, content), _token_bytes(whole, content))
    whole.history.settle()
    before = _scan(home, *needles)
    assert {needle for found in before.values() for needle in found} == {each[:12].hex() for each in needles}
    assert any(name.startswith("history.db") for name in before), "the scan must find the query"

    memory = held(whole)[content]
    preview = preview_forget(whole, _asked(memory.id))
    assert not preview.done
    assert _scan(home, *needles) == before
    done = forget(whole, _asked(memory.id))
    assert done.done
    assert _scan(home, *needles) == {}
    assert xray_by_id(whole, HERE, answer.recall_id).query != answer.query
    whole.close()
    assert _scan(home, *needles) == {}


@pytest.mark.requirement("FORGET-2")
@pytest.mark.parametrize("again", ["extract", "verbatim"])
def test_its_transcript_does_not_bring_it_back_in_any_mode(whole: App, home: Path, again: str) -> None:
    turns = session(SECRET, "We decided to cut releases every Tuesday.")
    take(whole, turns)
    memory = next(m for content, m in held(whole).items() if CANARY in content)
    forget(whole, _asked(memory.id))
    tally = take(whole, turns, again)  # pyright: ignore[reportArgumentType]
    assert not [content for content in held(whole, None) if CANARY in content]
    assert _scan(home, CANARY.encode()) == {}
    if again == "verbatim":
        assert tally.forgotten == 1


@pytest.mark.requirement("FORGET-2")
def test_a_lost_journal_or_a_rebuilt_index_does_not_bring_it_back(whole: App, home: Path, model_cache: Path) -> None:
    turns = session(SECRET, "We decided to cut releases every Tuesday.")
    take(whole, turns)
    memory = next(m for content, m in held(whole).items() if CANARY in content)
    forget(whole, _asked(memory.id))
    whole.close()
    for name in ("journal.db", "index.db"):
        for path in home.glob(f"{name}*"):
            path.unlink()
    app = open_app(load(home=home), models=model_cache.parent)
    app.unit_of_work.take_over_edits()
    app.indexer.rebuild()
    take(app, turns)
    said_elsewhere = session(SECRET, name="another", start=START + timedelta(days=3))
    tally = take(app, said_elsewhere)
    assert not [content for content in held(app, None) if CANARY in content]
    assert dict(tally.verdicts) == {"reject:forgotten": 1}
    app.close()


@pytest.mark.requirement("FORGET-2")
@pytest.mark.parametrize("mode", ["verbatim", "both"])
def test_kept_turns_of_another_session_do_not_bring_it_back(whole: App, home: Path, mode: Mode) -> None:
    take(whole, session(SECRET))
    forget(whole, _asked(next(iter(held(whole).values())).id))
    later = START + timedelta(days=3)
    take(whole, session(SECRET, f"Good morning! {SECRET} Shall we go on?", name="another", start=later), mode)
    assert not [content for content in held(whole, None) if CANARY in content]
    assert _scan(home, CANARY.encode()) == {}


@pytest.mark.requirement("FORGET-2")
def test_a_person_may_still_say_it_anew(whole: App) -> None:
    memory = keep(whole, SECRET).memory
    forget(whole, _asked(memory.id))
    assert keep(whole, SECRET).created


@pytest.mark.requirement("FORGET-1")
def test_copies_derivations_and_the_evidence_turn_go_too_and_the_preview_says_so(whole: App, home: Path) -> None:
    take(whole, session(SECRET, "Good morning."))
    take(whole, session(SECRET, "Good morning."), "verbatim")
    asked = next(m for content, m in held(whole).items() if CANARY in content and m.category != "moment")
    preview = preview_forget(whole, _asked(asked.id))
    assert sorted((each.category, each.why) for each in preview.memories) == [
        (asked.category, "asked"),
        ("moment", "copy"),
    ]
    forget(whole, _asked(asked.id))
    assert _scan(home, CANARY.encode()) == {}
    assert list(held(whole)) == ["Good morning."]


@pytest.mark.requirement("FORGET-1")
def test_a_kept_turn_that_is_forgotten_takes_the_memory_read_from_it(whole: App, home: Path) -> None:
    take(whole, session(f"Morning. {SECRET}"), "both")
    moment = next(m for content, m in held(whole).items() if CANARY in content and m.category == "moment")
    preview = preview_forget(whole, _asked(moment.id))
    assert sorted(each.why for each in preview.memories) == ["asked", "derived"]
    forget(whole, _asked(moment.id))
    assert _scan(home, CANARY.encode()) == {}
    for mode in ("extract", "both", "verbatim"):
        take(whole, session(f"Morning. {SECRET}"), mode)
    assert not [content for content in held(whole, None) if CANARY in content]


@pytest.mark.requirement("FORGET-1")
def test_what_else_was_said_in_a_forgotten_part_of_a_turn_stays(whole: App) -> None:
    rest = (
        "We decided to cut releases every Tuesday. " + "The weather was grey all that week and nobody minded it. " * 8
    )
    take(whole, session(f"{rest}\n\n{SECRET}"), "both")
    decided = next(
        m for content, m in held(whole).items() if "releases every Tuesday" in content and m.category != "moment"
    )
    asked = [m for content, m in held(whole).items() if CANARY in content and m.category == "moment"]
    assert asked
    forget(whole, _asked(asked[0].id))
    left = held(whole)
    assert decided.content in left
    assert not [content for content in left if CANARY in content]


@pytest.mark.requirement("FORGET-1")
def test_a_conflict_copy_and_a_text_edited_by_hand_go_too(whole: App, home: Path) -> None:
    memory = keep(whole, SECRET).memory
    path = home / "vault" / whole.index.memories(HERE, [memory.id])[0].path
    copy = path.with_name(f"{path.stem}.conflict-0123456789ab.md")
    copy.write_bytes(path.read_bytes())
    path.write_text(path.read_text().replace("7443", "7444"), "utf-8")
    whole.unit_of_work.take_over_edits()
    assert len(_scan(home, CANARY.encode())) >= 3
    done = forget(whole, _asked(memory.id))
    assert _scan(home, CANARY.encode()) == {}, done.places


@pytest.mark.requirement("FORGET-1")
def test_versions_stay_unless_the_chain_is_asked_for(whole: App, home: Path) -> None:
    take(whole, session("The cache TTL is 300 seconds.", name="a"))
    take(whole, session("The cache TTL is 600 seconds.", name="b", start=START + timedelta(days=1)))
    new, old = held(whole)["The cache TTL is 600 seconds"], held(whole, "superseded")["The cache TTL is 300 seconds"]
    assert preview_forget(whole, _asked(new.id)).versions == (old.id,)
    done = forget(whole, _asked(new.id, chain=True))
    assert {each.id for each in done.memories} == {new.id, old.id}
    assert held(whole, None) == {}


@pytest.mark.requirement("FORGET-3")
def test_the_receipt_names_each_place_and_the_history_says_only_that_it_was(whole: App) -> None:
    take(whole, session(SECRET))
    (memory,) = held(whole).values()
    done = forget(whole, _asked(memory.id))
    assert done.op_id
    assert {"files", "indexRows", "queries", "spooledTurns"} <= set(done.places)
    assert done.tombstones >= 2
    story = history_of_memory(whole, HERE, memory.id)
    assert story.forgotten_at
    assert CANARY not in str(story)
    with pytest.raises(NotFoundError):
        forget(whole, _asked(memory.id))


@pytest.mark.requirement("FORGET-3")
def test_an_erasure_that_was_interrupted_is_finished_when_the_home_is_opened(
    whole: App, home: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(whole, session(SECRET))
    (memory,) = held(whole).values()

    def killed(*_: object) -> dict[str, int]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(whole.eraser), "scrub", killed)
        with pytest.raises(KeyboardInterrupt):
            forget(whole, _asked(memory.id))
    assert (home / "erasing").exists()
    app = open_app(load(home=home), models=model_cache.parent)
    finish_erasures_if_possible(app)
    assert not (home / "erasing").exists()
    whole.close()
    app.close()
    assert _scan(home, CANARY.encode()) == {}


@pytest.mark.requirement("FORGET-1")
def test_purge_takes_what_fits_every_filter_and_never_everything(whole: App) -> None:
    take(whole, session("The cache TTL is 300 seconds.", name="a"))
    take(whole, session("The cache TTL is 600 seconds.", "Backups are kept for 30 days.", name="b"))
    with pytest.raises(InputError, match="needs a filter"):
        purge(whole, PurgeInput(namespace=HERE))
    old = PurgeInput(namespace=HERE, status="superseded")
    assert [each.why for each in preview_purge(whole, old).memories] == ["asked"]
    assert len(purge(whole, old).memories) == 1
    assert set(held(whole, None)) == {"The cache TTL is 600 seconds", "Backups are kept for 30 days"}
    assert purge(whole, old).memories == ()
    assert len(purge(whole, PurgeInput(namespace=HERE, session_id="b")).memories) == 2


@pytest.mark.requirement("FORGET-1")
def test_what_only_begins_with_the_same_words_is_no_copy(whole: App) -> None:
    first = keep(whole, "The gateway backend listens on port 80").memory
    keep(whole, "The gateway backend listens on port 8080 at night")
    done = forget(whole, _asked(first.id))
    assert [each.why for each in done.memories] == ["asked"]
    assert list(held(whole)) == ["The gateway backend listens on port 8080 at night"]


@pytest.mark.requirement("FORGET-1")
def test_a_link_that_only_its_turn_mentioned_goes_from_the_episode(whole: App, home: Path) -> None:
    take(whole, session(f"The gateway port is 7443. See https://{CANARY}.example/x.", "Backups are kept for 30 days."))
    assert _scan(home, CANARY.encode())
    memory = next(m for content, m in held(whole).items() if "7443" in content)
    forget(whole, _asked(memory.id))
    assert _scan(home, CANARY.encode()) == {}


@pytest.mark.requirement("FORGET-1")
def test_a_file_deleted_by_hand_just_before_is_forgotten_all_the_same(whole: App, home: Path) -> None:
    memory = keep(whole, SECRET).memory
    (home / "vault" / whole.index.memories(HERE, [memory.id])[0].path).unlink()
    assert forget(whole, _asked(memory.id)).done
    assert held(whole, None) == {}
