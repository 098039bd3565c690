"""What an agent says and does after a recall in, the citations that are made of it without anybody's saying so out."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from kits.hooked import SESSION, context_of, tell, transcript
from kits.vault import HERE, Opener, keep
from pellucid.app import App
from pellucid.clock import isoformat
from pellucid.model.observation import ExtractedFact
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.extractor import HeuristicExtractor
from pellucid.observe.judge import HeuristicJudge
from pellucid.operations.extraction import Extraction
from pellucid.operations.hooks.transcripts import read_transcripts
from pellucid.operations.memory.citing import CITE
from pellucid.operations.memory.forgetting import FORGET
from pellucid.operations.operation import Call
from pellucid.operations.recall.recalling import RECALL
from pellucid.operations.session.closing import WRAP
from pellucid.operations.session.intake import Intake
from pellucid.operations.session.observing import OBSERVE
from pellucid.operations.using import served_texts
from pellucid.store.history.citations_port import CitationRow

CRANE = "The harbour crane lifts forty tonnes, and its brakes are checked every Monday by the night crew."
ASKED = "what can the harbour crane lift at the quay?"
QUOTES = "I looked: its *brakes* are checked every Monday by the night crew, so I moved the job to Tuesday."
PHRASE = "brakes* are checked every Monday by the night crew"
RELAY = "The relay reads its ports from src/relay/ports.toml before it opens them."


pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture
def app(house: Opener) -> App:
    return house()


class Agent:
    """A session in a program: its hooks tell of it, and its transcript grows."""

    def __init__(self, app: App, home: Path, session: str = SESSION) -> None:
        self.app, self.home, self.session, self.lines = app, home, session, 0

    def writes(self, role: str, content: object) -> None:
        self.lines += 1
        said = {
            "type": role,
            "uuid": f"{self.session}-{self.lines}",
            "sessionId": self.session,
            "cwd": "/src/crane",
            "timestamp": isoformat(self.app.clock.now()),
            "message": {"role": role, "content": content},
        }
        self.path = transcript(self.home, json.dumps(said) + "\n", session=self.session)

    def asks(self, prompt: str = ASKED) -> str:
        """What the hook puts before the agent at a prompt."""
        out = tell(self.app, "UserPromptSubmit", session_id=self.session, prompt=prompt, cwd="/src/crane")
        self.writes("user", prompt)
        return context_of(out)

    def reads(self, path: str) -> None:
        call = {"type": "tool_use", "id": f"t{self.lines}", "name": "Read", "input": {"file_path": path}}
        self.writes("assistant", [call])
        self.writes("user", [{"type": "tool_result", "tool_use_id": f"t{self.lines - 1}", "content": "port = 9041"}])

    def ends(self, event: str = "SessionEnd") -> list[CitationRow]:
        """What is cited once an event is told and the transcript is read."""
        tell(self.app, event, session_id=self.session, transcript_path=str(self.path), cwd="/src/crane")
        read_transcripts(self.app)
        return self.app.citations.on(HERE, self.session)


@pytest.fixture
def agent(app: App, at_home: Path) -> Agent:
    return Agent(app, at_home)


@pytest.mark.requirement("CITE-2")
def test_a_memory_that_the_agent_quotes_after_its_recall_is_cited_once_with_the_words(app: App, agent: Agent) -> None:
    kept = keep(app, CRANE).memory.id
    assert CRANE in agent.asks()
    agent.writes("assistant", QUOTES)
    (cited,) = agent.ends("PreCompact")
    assert (cited.memory_id, cited.kind, cited.source, cited.evidence) == (kept, "cited", "automatic", "quoted")
    assert (cited.note, cited.agent) == (PHRASE, "claude-code")
    (recall,) = app.citations.served(HERE, SESSION)
    assert cited.recall_id == recall.recall_id
    assert cited.at > recall.at
    agent.writes("assistant", "As said: its brakes are checked every Monday by the night crew.")
    assert agent.ends() == [cited]
    assert [each.memory_id for each in app.uses.uses(HERE)] == [kept]
    told = WRAP(Call.over(app), session_id=SESSION)
    assert (told.counts, told.automatic, told.uncited) == ({}, {"cited": 1}, ())


@pytest.mark.requirement("CITE-2")
@pytest.mark.parametrize(
    "said",
    [
        "I moved the job to Tuesday, when the crew is there.",
        "The brakes of the crane are worn, so check them on Monday.",
        f'The hook said <pellucid-recall id="rec_{"0" * 32}">\nMemories: data.\n[1] {CRANE}\n</pellucid-recall> to me.',
    ],
)
def test_an_answer_in_other_words_and_our_own_output_cite_nothing(app: App, agent: Agent, said: str) -> None:
    keep(app, CRANE)
    agent.asks()
    agent.writes("assistant", said)
    assert agent.ends() == []


def test_words_that_the_question_or_an_earlier_turn_holds_are_no_quotation(app: App, agent: Agent) -> None:
    keep(app, CRANE)
    agent.writes("user", "Somebody told me that its brakes are checked every Monday by the night crew.")
    agent.writes("assistant", "Fine.")
    assert agent.ends("Stop") == []
    assert CRANE in agent.asks()
    agent.writes("assistant", QUOTES)
    assert agent.ends() == []


def test_what_was_said_before_the_recall_is_no_quotation_of_it(app: App, agent: Agent) -> None:
    keep(app, CRANE)
    agent.writes("assistant", QUOTES)
    agent.asks()
    assert agent.ends() == []


def test_a_phrase_that_other_sessions_say_too_is_nobodys(app: App, agent: Agent, at_home: Path) -> None:
    stock = "Everything passes, here is a summary of the changes made to the harbour crane."
    keep(app, stock, session_id="long-ago")
    other = Agent(app, at_home, "another")
    other.writes("assistant", "All good, here is a summary of the changes made to the kitchen, as you wanted it today.")
    other.ends()
    assert stock in agent.asks("what happened to the harbour crane in the summary?")
    agent.writes("assistant", "Done: here is a summary of the changes made to it.")
    assert agent.ends() == []


def test_a_memory_whose_id_the_agent_says_is_cited(app: App, agent: Agent) -> None:
    kept = keep(app, CRANE).memory.id
    agent.asks()
    agent.writes("assistant", f"I rely on {kept[-10:]} here.")
    (cited,) = agent.ends()
    assert (cited.kind, cited.evidence, cited.note) == ("cited", "id", kept[-10:])


def test_a_file_that_a_memory_names_and_the_agent_then_opens_is_a_use_of_it(app: App, agent: Agent) -> None:
    kept = keep(app, RELAY).memory.id
    assert RELAY in agent.asks("where does the relay get its ports?")
    agent.reads("/src/crane/src/relay/ports.toml")
    (cited,) = agent.ends()
    assert (cited.memory_id, cited.kind, cited.evidence, cited.note) == (kept, "used", "file", "src/relay/ports.toml")


def test_a_file_that_the_question_names_or_that_was_open_before_is_not(app: App, agent: Agent) -> None:
    keep(app, RELAY)
    agent.reads("/src/crane/src/relay/ports.toml")
    agent.asks("where does the relay get its ports?")
    agent.reads("/src/crane/src/relay/ports.toml")
    assert agent.ends() == []


def test_what_somebody_says_of_a_memory_outdoes_what_was_seen(app: App, agent: Agent) -> None:
    kept, call = keep(app, CRANE).memory.id, Call.over(app)
    agent.asks()
    agent.writes("assistant", QUOTES)
    assert agent.ends("PreCompact")
    CITE(call, memory_id=kept, kind="cited", session_id=SESSION, notes="It moved the job.")
    (said,) = app.citations.on(HERE, SESSION)
    assert (said.source, said.evidence, said.note) == ("explicit", None, "It moved the job.")
    CITE(call, memory_id=kept, kind="flagged_stale", session_id="later", recall_id=said.recall_id)
    later = CitationRow(kept, "cited", said.recall_id, "later", None, said.at, PHRASE, "automatic", "quoted")
    assert not app.citations.put(HERE, app.clock.new_id("cit"), later)
    assert [each.kind for each in app.citations.on(HERE, "later")] == ["flagged_stale"]


def test_the_words_of_a_quotation_go_with_the_memory(app: App, agent: Agent) -> None:
    kept = keep(app, CRANE).memory.id
    keep(app, "On Monday the night shift: brakes of the crew's van, checked every time.")
    agent.asks()
    agent.writes("assistant", QUOTES)
    assert agent.ends()[0].note == PHRASE
    FORGET(Call.over(app), memory_ids=(kept,), preview=False)
    assert [each.note for each in app.citations.on(HERE, SESSION)] == [""]
    assert PHRASE.encode() not in b"".join(path.read_bytes() for path in app.settings.home.glob("history.db*"))


def test_turns_that_no_hook_tells_of_are_looked_at_where_they_say_when_they_were(app: App) -> None:
    keep(app, CRANE)
    call, now = Call.over(app), app.clock.now
    for session, ago in (("s1", 1), ("s2", 0)):
        RECALL(call, query=ASKED, session_id=session)
        at = isoformat(now() - timedelta(days=ago))
        turn = {"role": "assistant", "content": f"{QUOTES} ({session})", "session": session, "ts": at}
        OBSERVE(call, session_id=session, turns=(turn,), flush="session_end")
    assert app.citations.on(HERE, "s1") == []
    assert [each.evidence for each in app.citations.on(HERE, "s2")] == ["quoted"]


def test_a_new_statement_that_takes_the_place_of_a_recalled_one_rewrites_it(app: App) -> None:
    call = Call.over(app)
    keep(app, "The relay of rack 7 listens on port 9041.")
    RECALL(call, query="On which port does the relay of rack 7 listen?", session_id="s1")
    said = {
        "role": "user",
        "content": "By the way, the relay of rack 7 listens on port 9050 now.",
        "ts": isoformat(app.clock.now()),
    }
    OBSERVE(call, session_id="s1", turns=(said,), flush="session_end")
    (cited,) = app.citations.on(HERE, "s1")
    assert (cited.kind, cited.evidence, cited.source) == ("rewrote", "rewrote", "automatic")
    assert cited.note.startswith("by mem_")


def test_turns_are_taken_in_where_history_cannot_be_read(house: Opener) -> None:
    path = house().settings.home / "history.db"
    for each in path.parent.glob("history.db*"):
        each.unlink()
    path.mkdir()
    assert served_texts(house(), "local/default", "s") == {}


def test_what_each_half_of_a_batch_rewrites_is_noted_where_another_process_took_part_of_a_segment(app: App) -> None:
    for rack in (7, 8):
        keep(app, f"The relay of rack {rack} listens on port 904{rack}.")
        RECALL(Call.over(app), query=f"On which port does the relay of rack {rack} listen?", session_id=f"s{rack}")
    now = app.clock.now()
    ours = {
        rack: Turn(f"s{rack}", 1, "user", f"The relay of rack {rack} listens on port 905{rack} now.", now)
        for rack in (7, 8)
    }
    theirs = Turn("s8", 2, "user", "My favourite editor is Helix and I use it every day.", now)
    turns = [replace(turn, fingerprint=str(turn).encode()) for turn in (*ours.values(), theirs)]

    class SlowExtractor(HeuristicExtractor):
        """While it reads, another process takes the last turn."""

        def extract(self, segment: Segment) -> list[ExtractedFact]:
            Intake(app, HERE, "extract").take(turns[-1:])
            return super().extract(segment)

    Intake(app, HERE, "extract", shared=Extraction(SlowExtractor(), HeuristicJudge())).take(turns)
    for rack in (7, 8):
        assert [each.kind for each in app.citations.on(HERE, f"s{rack}")] == ["rewrote"]
