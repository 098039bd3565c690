"""Turns of live sessions in; what waits, what was kept, and on which signal, out: real spool, journal and vault."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from kits.live_sessions import HERE, HOLIDAYS, NOON, SESSIONS, TARIFFS, Home, kept, see, turn
from pellucid.app import App
from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.errors import EncoderError, InputError
from pellucid.model.observation import ExtractedFact
from pellucid.model.turn import Segment
from pellucid.observe.judge import HeuristicJudge
from pellucid.operations.extraction import Extraction
from pellucid.operations.session import observing
from pellucid.operations.session.importing import ImportInput, ImportOutput, import_transcripts
from pellucid.operations.session.observing import ObserveInput, SpoolInput, observe_turns, show_waiting
from pellucid.settings.sections import CaptureSettings

CANARY = "zebrafinch"
CHATTER = f"hm, could you have a look at the {CANARY}?"
TTL = "The quote cache TTL is 300 seconds"
DECIDED = "We decided to migrate invoices to Postgres on one weekend."


def bring_in(app: App, path: Path) -> ImportOutput:
    return import_transcripts(app, ImportInput(mode="extract", paths=(path,), namespace=HERE))


@pytest.fixture
def live(tmp_path: Path, minilm: MiniLM) -> Iterator[Home]:
    home = Home(tmp_path / "home", minilm)
    yield home
    for app in home.opened:
        app.close()


def fillers(count: int, session: str = "s") -> list[dict[str, object]]:
    return [turn(f"looking at part {number} now", "assistant", session) for number in range(count)]


@pytest.mark.requirement("FLUSH-1")
def test_turns_wait_on_disk_in_order_until_the_session_ends(live: Home) -> None:
    app = live.open()

    first = see(app, turn("Morning."), turn(TTL))
    assert (first.turns_spooled, first.flushes, kept(app)) == (2, (), [])
    assert [each.turn.content for each in app.spool.held(HERE, "s")] == ["Morning.", TTL]

    ended = see(app, flush="session_end", session_id="s")

    assert [(each.signal, each.turns, each.memories) for each in ended.flushes] == [("session_end", 2, 1)]
    assert kept(app) == [TTL]
    assert ended.backlog == ()
    assert app.spool.waiting() == []
    assert [row["signal"] for row in app.ledger.rows() if row["kind"] == "flush"] == ["session_end"]


@pytest.mark.requirement("CAP-2")
def test_secrets_are_redacted_before_the_spool(live: Home) -> None:
    app = live.open()
    out = see(app, turn("the token is ghp_" + "a1B2c3D4e5F6" * 3))
    assert out.redactions
    assert live.files_with("a1B2c3D4e5F6") == []


@pytest.mark.requirement("FLUSH-2")
def test_a_reset_flushes_what_waits_and_the_session_goes_on_with_its_numbers(live: Home) -> None:
    app = live.open()
    see(app, turn("hello"), turn(TTL), flush="before_reset")
    see(app, turn(DECIDED.replace("We decided", "Fine: they want")), session_id="s")
    assert [each.turn.ordinal for each in app.spool.held(HERE, "s")] == [3]


@pytest.mark.requirement("FLUSH-2")
def test_a_high_signal_phrase_flushes_at_once_with_its_turn(live: Home) -> None:
    app = live.open()
    out = see(app, turn("hello"), turn(DECIDED), turn("next"))
    assert [(each.signal, each.turns) for each in out.flushes] == [("high_signal", 2)]
    assert any("migrate invoices" in content for content in kept(app))
    assert [each.turns for each in out.backlog] == [1]


def test_unless_it_is_switched_off(live: Home) -> None:
    assert see(live.open(high_signal=False), turn(DECIDED)).flushes == ()


@pytest.mark.requirement("FLUSH-2")
def test_so_many_turns_flush_a_segment(live: Home) -> None:
    app = live.open(flush_turns=5)
    out = see(app, *fillers(12))
    assert [(each.signal, each.turns) for each in out.flushes] == [("turn_count", 5), ("turn_count", 5)]
    assert out.backlog[0].turns == 2


@pytest.mark.requirement("FLUSH-2")
def test_silence_between_two_turns_flushes_what_came_before(live: Home) -> None:
    app = live.open()
    stamps = [NOON, NOON + timedelta(minutes=5), NOON + timedelta(minutes=50)]
    out = see(app, *(turn(f"part {at:%H:%M} is here", ts=at.isoformat()) for at in stamps))
    assert [(each.signal, each.turns) for each in out.flushes] == [("time_elapsed", 2)]


def test_a_session_that_fell_silent_is_flushed_by_whoever_comes_next(live: Home) -> None:
    app = live.open()
    see(app, turn(TTL, session="old"))
    live.later(31)
    out = see(app, turn("hello", session="new"))
    assert [(each.session_id, each.signal) for each in out.flushes] == [("old", "time_elapsed")]
    assert kept(app) == [TTL]


@pytest.mark.requirement("FLUSH-2")
def test_a_topic_shift_flushes_what_came_before_the_turns_that_moved(live: Home) -> None:
    out = see(live.open(high_signal=False), *(turn(text) for text in (*TARIFFS, *HOLIDAYS)))
    assert [(each.signal, each.turns) for each in out.flushes] == [("topic_shift", len(TARIFFS))]
    assert out.topic_shift == "meaning"


class NoEncoder:
    """What an encoder is whose model cannot be had."""

    model, basis = "none", "wht128-v1"

    def encode(self, texts: object) -> Iterator[Any]:
        raise EncoderError("the model is not here", next_step="fetch it")

    encode_query = encode


def test_without_an_encoder_topics_are_followed_by_words_and_that_is_said(live: Home) -> None:
    app = replace(live.open(high_signal=False), embedder=NoEncoder())
    out = see(app, *(turn(text) for text in (*TARIFFS, *HOLIDAYS)))
    assert [(each.signal, each.turns) for each in out.flushes] == [("topic_shift", len(TARIFFS))]
    assert out.topic_shift == "words"
    assert "not here" in (out.encoder_problem or "")


def test_topics_are_not_followed_at_0(live: Home) -> None:
    out = see(live.open(topic_shift=0, high_signal=False), *(turn(text) for text in (*TARIFFS, *HOLIDAYS)))
    assert (out.topic_shift, out.flushes) == ("off", ())


@pytest.mark.requirement("CAP-4")
def test_a_turn_with_an_id_is_known_again_while_it_waits_and_after(live: Home) -> None:
    app = live.open()
    turns = [turn("hello", id="m1"), turn(TTL, id="m2")]
    see(app, *turns)
    again = see(app, *turns, turn("and on", id="m3"))
    assert (again.turns_spooled, again.dropped) == (1, {"already-observed": 2})
    assert [each.turn.ordinal for each in app.spool.held(HERE, "s")] == [1, 2, 3]
    see(app, flush="session_end", session_id="s")

    late = see(app, *turns, turn("and on", id="m3"), turn("more", id="m4"))

    assert (late.turns_spooled, late.dropped) == (1, {"already-imported": 3})
    assert [each.turn.ordinal for each in app.spool.held(HERE, "s")] == [4]
    assert kept(app) == [TTL]


@pytest.mark.requirement("CAP-4")
@pytest.mark.parametrize("name", ["caching-layer.jsonl", "billing-migration.jsonl"])
def test_what_was_observed_is_not_imported_and_the_other_way_round(live: Home, tmp_path: Path, name: str) -> None:
    path, lines = SESSIONS / name, (SESSIONS / name).read_text("utf-8").splitlines(keepends=True)
    session = next(read([path], CaptureSettings(), CaptureReport())).session_id
    app = live.open()
    for at in range(0, len(lines), 13):
        observe_turns(app, ObserveInput(namespace=HERE, lines=tuple(lines[at : at + 13]), session_id=session))
    see(app, flush="session_end", session_id=session)
    assert app.spool.waiting() == []
    memories = kept(app)
    assert memories

    imported = bring_in(app, path)
    assert (imported.turns_taken, kept(app)) == (0, memories)

    other = Home(tmp_path / "other", live.minilm)
    app = other.open()
    bring_in(app, path)
    out = observe_turns(app, ObserveInput(namespace=HERE, lines=tuple(lines)))
    assert (out.turns_spooled, set(out.dropped)) >= (0, {"already-imported"})
    app.close()


def test_observed_turns_have_the_numbers_an_import_would_give_them(live: Home, tmp_path: Path) -> None:
    said = ["one", "[off the record]", "hidden", "[on the record]", "two", "[off the record]"]
    turns = [turn(text, session="t") for text in said]
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in turns), "utf-8")
    app = live.open()
    for each in turns[:4]:
        see(app, each)
    see(app, *turns[4:])

    held = [each.turn for each in app.spool.held(HERE, "t") if each.turn.content]
    assert [(each.ordinal, each.content) for each in held] == [(1, "one"), (5, "two")]
    see(app, flush="session_end", session_id="t")
    assert bring_in(app, path).turns_taken == 0


@pytest.mark.requirement("CAP-3")
def test_off_the_record_lasts_from_call_to_call_and_over_a_flush(live: Home) -> None:
    app = live.open()
    see(app, turn("hello"), turn("now [off the record] please"))
    see(app, turn(f"the {CANARY} is secret"), turn(f"{CANARY}", "assistant"))
    see(app, turn("other session is heard", session="else"))
    see(app, flush="session_end", session_id="s")
    out = see(app, turn(f"still {CANARY}"))
    assert out.dropped == {"off-the-record": 1}
    assert show_waiting(app, SpoolInput(namespace=HERE)).turns == 1
    assert live.files_with(CANARY) == []

    see(app, turn("[on the record]"))
    assert see(app, turn("heard again")).turns_spooled == 1


def test_our_own_output_is_left_out(live: Home) -> None:
    text = 'see <pellucid-recall id="rec_' + "0" * 32 + f'">{CANARY}</pellucid-recall>'
    out = see(live.open(), turn(text), turn('{"recallId": "rec_' + "0" * 32 + '"}', "tool"))
    assert (out.turns_spooled, out.dropped) == (1, {"own-recall": 1})
    assert live.files_with(CANARY) == []


@pytest.mark.requirement("FLUSH-3")
def test_after_a_flush_no_byte_of_a_turn_that_is_no_memory_is_anywhere(live: Home) -> None:
    app = live.open()
    see(app, *(turn("cache, tenant, tariff, quote, entry?") for _ in range(3)), turn(CHATTER), turn(TTL))
    assert any(name.startswith("spool.db") for name in live.files_with(CANARY))

    see(app, flush="session_end", session_id="s")
    assert live.files_with(CANARY) == []
    assert kept(app) == [TTL]
    app.close()
    live.opened.clear()
    assert live.files_with(CANARY) == []


def test_nor_is_a_single_word_of_it_in_the_name_of_the_episode(live: Home) -> None:
    app = live.open()
    see(app, *[turn(CHATTER)] * 4, turn(TTL), flush="session_end")
    assert kept(app) == [TTL]
    assert live.files_with(CANARY) == []


def test_unless_the_trace_is_to_be_kept_in_the_episode(live: Home) -> None:
    app = live.open(trace_retention="episode")
    see(app, turn(CHATTER), turn(TTL), flush="session_end")
    assert any(name.startswith("vault/episodes/") for name in live.files_with(CANARY))
    assert [name for name in live.files_with(CANARY) if name.startswith("spool")] == []


class Endpoint:
    """An extractor that fails until it is mended."""

    failing = True
    asked = 0

    def extract(self, segment: Segment) -> list[ExtractedFact]:
        self.asked += 1
        if self.failing:
            raise EncoderError("the endpoint answered 503", next_step="try later")
        return []


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    made = Endpoint()
    monkeypatch.setattr(observing, "open_extraction", lambda *_: Extraction(made, HeuristicJudge()))
    return made


@pytest.mark.requirement("FLUSH-3")
def test_a_failing_extractor_loses_nothing_and_is_asked_again_ever_more_rarely(live: Home, endpoint: Endpoint) -> None:
    app = live.open(flush_minutes=600)
    out = see(app, turn(DECIDED))
    assert "nothing is lost" in (out.extractor_problem or "")
    assert (out.backlog[0].attempts, out.backlog[0].turns, out.flushes) == (1, 1, ())
    assert "503" in (out.backlog[0].problem or "")

    waits: list[float] = []
    for expected in range(2, 9):
        while endpoint.asked < expected:
            live.later(0.5)
            waits.append(0.5)
            out = see(app, turn("still there?"))
        assert out.backlog[0].attempts == expected
    assert sum(waits) == pytest.approx(2 + 4 + 8 + 16 + 32 + 60 + 60, abs=4)
    assert kept(app) == []


@pytest.mark.parametrize("given", [{"flush": "session_end"}, {"flush": "before_reset"}, {"retry": True}])
def test_the_end_of_a_session_or_a_retry_does_not_wait(live: Home, endpoint: Endpoint, given: dict[str, Any]) -> None:
    app = live.open()
    see(app, turn(DECIDED))
    see(app, turn("hm"))
    assert endpoint.asked == 1
    see(app, turn("hm"), **given)
    assert endpoint.asked == 2

    endpoint.failing = False
    out = see(app, session_id="s", flush="session_end")
    assert sum(each.turns for each in out.flushes) == 3
    assert (out.backlog, app.spool.waiting()) == ((), [])


def test_an_endpoint_that_is_set_up_wrongly_does_not_keep_turns_from_the_spool(
    live: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Extraction:
        raise InputError("llm.baseUrl is not set", next_step="set it")

    monkeypatch.setattr(observing, "open_extraction", refuse)
    out = see(live.open(), turn(DECIDED))
    assert (out.turns_spooled, out.backlog[0].attempts) == (1, 1)
    assert "llm.baseUrl" in (out.extractor_problem or "")


def test_turns_that_were_kept_before_a_crash_are_dropped_and_not_kept_twice(live: Home) -> None:
    app = live.open()
    see(app, turn("hello"), turn(TTL))
    waiting = app.spool.held(HERE, "s")
    see(app, flush="session_end", session_id="s")
    app.spool.append(HERE, waiting)  # as if the process had died before it let go of them

    out = see(app, turn(DECIDED.replace("We decided", "Somebody wants"), session="s"), flush="session_end")

    assert [each.turns for each in out.flushes] == [1]
    assert kept(app).count(TTL) == 1
    assert app.spool.waiting() == []


@pytest.mark.requirement("STORE-6")
def test_two_that_observe_one_session_at_once_lose_and_double_nothing(live: Home) -> None:
    apps = [live.open(flush_turns=7), live.open(flush_turns=7)]
    facts = [f"The depot token{number}x opens at {number % 12 + 1} o'clock every day." for number in range(40)]
    failures: list[BaseException] = []

    def send(app: App, mine: list[str]) -> None:
        try:
            for text in mine:
                see(app, turn(text))
        except BaseException as error:  # noqa: BLE001  # told to the test
            failures.append(error)

    threads = [Thread(target=send, args=(app, facts[at::2])) for at, app in enumerate(apps)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    see(apps[0], flush="session_end", session_id="s")

    rows = [row for row in apps[0].ledger.rows() if row["kind"] == "flush"]
    assert sum(int(str(row["turns"])) for row in rows) == 40
    found = " ".join(kept(live.open()))
    assert [found.count(f"token{number}x") for number in range(40)] == [1] * 40
    assert apps[0].spool.waiting() == []


def test_status_shows_what_waits_and_touches_nothing(live: Home) -> None:
    app = live.open()
    see(app, turn(TTL), turn("hello", session="b"), turn("hello", session="b"))
    live.later(600)
    out = show_waiting(app, SpoolInput(namespace=HERE))
    assert (out.turns, [(each.session_id, each.turns) for each in out.backlog]) == (3, [("s", 1), ("b", 2)])
    assert out.backlog[0].newest - NOON < timedelta(minutes=1)
    assert kept(app) == []


def test_a_sub_agents_session_ends_with_its_own(live: Home) -> None:
    app = live.open()
    see(app, turn("hello", session="s/a1"), turn("hello", session="s2"))
    see(app, flush="session_end", session_id="s")
    assert [each.session_id for each in app.spool.waiting()] == ["s2"]


def test_a_turn_without_a_time_was_said_when_it_arrived(live: Home) -> None:
    app = live.open()
    see(app, turn("hello"))
    said: datetime | None = app.spool.held(HERE, "s")[0].turn.at
    assert said is not None
    assert said - NOON < timedelta(minutes=1)
