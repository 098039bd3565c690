"""A caller, a project, a session, an episode or a document in, the values of their templates out."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from markupsafe import Markup, escape

from pellucid.operations.browsing import LIST, Listed
from pellucid.operations.document.listing import DOCUMENT, DOCUMENTS, REMOVE
from pellucid.operations.memory.remembering import REMEMBER
from pellucid.operations.memory.storytelling import EPISODE, EPISODES, EpisodeView
from pellucid.operations.recall.kept.snapshots import SNAPSHOTS
from pellucid.operations.session.looking.briefing import BRIEF, BriefDay, SessionBrief
from pellucid.operations.session.looking.sessions import last_turn
from pellucid.operations.session.looking.showing import SESSION, LeftOut, SessionOutput
from pellucid.operations.session.projects import PROJECTS
from pellucid.surfaces.dashboard.charts.calendar import DayCell, calendar
from pellucid.surfaces.dashboard.conversation import ShownTurn, conversation_turns, marks_of
from pellucid.surfaces.dashboard.view import Page, PageView
from pellucid.xray.words.headline import headline
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

_SESSIONS = 20
"""The most sessions on a page."""
_CHARACTERS = 100_000
_TURNS = 60
"""The most turns of a conversation on a page."""
_ALL = 10_000
_ID = re.compile(r"\b(mem_[0-9a-f]{32})\b")
_RECALLS = 200


def _days(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of days: the last sessions, or those of the query's `day`, 20 at most;
    `after` in the query continues the list. The values are `title`, `told` (the brief), `by_day` (day to sessions),
    `day`, `calendar` (SVG) and `name` (the function `_session_name`).
    """
    day = view.query.get("day", "")
    brief = view.ask(BRIEF, sessions=_SESSIONS, budget=_CHARACTERS, day=day, after=view.query.get("after"))
    cells = [_day_cell(view, each) for each in brief.days]
    by_day = dict[str, list[SessionBrief]]()
    for each in brief.sessions:
        by_day.setdefault(each.day, []).append(each)
    return {
        "title": f"What was done on {day}" if day else "What was done, by day",
        "told": brief,
        "by_day": by_day,
        "day": day,
        "calendar": calendar(cells, next((each.day for each in cells if f"{each.day}" == day), None)),
        "name": _session_name,
    }


def _day_cell(view: PageView, day: BriefDay) -> DayCell:
    """Return a day of the calendar: its count is the sum of sessions and memories, its link the page of that day."""
    words = f"{day.day}: {counted(day.sessions, 'session')}, {counted(day.memories, 'memory', 'memories')}"
    return DayCell(date.fromisoformat(day.day), day.sessions + day.memories, words, view.href(day=day.day))


def _session_name(session: SessionBrief) -> str:
    """Return the name of a session: the beginning of its question, else of the first statement of its brief, else
    `Session ` and its id.
    """
    lines = (session.asked, *session.decided, *session.done, *session.left_open, *session.kept)
    return next((headline(each.text) for each in lines if each), f"Session {session.session_id}")


def _session(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of the session that the path names: its summary and omissions (`shown`),
    its memories in the order of their turns (`kept`), `episodes`, its last 200 `recalls`, their citations (`cited`),
    and of its conversation the 60 `turns` of the part that the query's `part` asks for. `stretches` are the first and
    last turn of each part; `turn_of`, `linked` and `turn_href` are functions for the template.
    """
    shown: SessionOutput = view.ask(SESSION, session_id=view.named["session_id"])
    of_session = {"session_id": shown.session_id}
    memories = [each for each in _list_memories(view, of_session) if each.memory.category != "moment"]
    passages = _list_memories(view, {**of_session, "category": "moment"})
    episodes = view.ask(EPISODES, limit=1000, **of_session).episodes
    recalls = view.ask(SNAPSHOTS, limit=_RECALLS, **of_session)
    turns = _conversation(view, passages, memories, shown.left_out)
    part = _chosen_part(view, turns)
    return {
        "title": _session_name(shown.session) if shown.session else f"Session {shown.session_id}",
        "shown": shown,
        "kept": sorted((each.memory for each in memories), key=lambda memory: (last_turn(memory), memory.id)),
        "turn_of": last_turn,
        "episodes": episodes[::-1],
        "recalls": recalls,
        "cited": _citations_by_recall(shown),
        "linked": partial(_with_memory_links, view, shown.words),
        "turns": turns[part * _TURNS : (part + 1) * _TURNS],
        "part": part,
        "stretches": [(each[0].number, each[-1].number) for each in _parts(turns)],
        "turn_href": _turn_href(view, turns),
        "may_keep": view.may(REMEMBER),
    }


def _list_memories(view: PageView, fields: Mapping[str, object]) -> Sequence[Listed]:
    """Return the memories that fit these fields of the operation `LIST` (by Python names), whatever their status; the
    first 10,000 at most.
    """
    return view.ask(LIST, status="any", limit=_ALL, **fields).memories


def _conversation(
    view: PageView, passages: Sequence[Listed], memories: Sequence[Listed], left: Sequence[LeftOut]
) -> list[ShownTurn]:
    """Return the turns of a conversation, ascending, made of its `passages`; sentences that became `memories`, and
    statements in `left`, which were left out, are marked in them.
    """
    marks = marks_of([each.memory for each in memories], left, lambda memory_id: view.href(f"memories/{memory_id}"))
    return list(conversation_turns((each.memory for each in passages), marks))


def _parts(turns: Sequence[ShownTurn]) -> list[Sequence[ShownTurn]]:
    """Return the conversation cut into pages of 60 turns, the last one with the rest; empty if there are no turns."""
    return [turns[at : at + _TURNS] for at in range(0, len(turns), _TURNS)]


def _chosen_part(view: PageView, turns: Sequence[ShownTurn]) -> int:
    """Return the page of the conversation that the query's `part` asks for, from 0; 0 if there is no such page."""
    part = view.query.get("part", "")
    return int(part) if part.isdecimal() and len(part) < 6 and int(part) < len(_parts(turns)) else 0


def _turn_href(view: PageView, turns: Sequence[ShownTurn]) -> Any:
    """Return a function from a turn's number to the address of the turn in this page's conversation, which is cut into
    parts; it returns "" for a number that is not among `turns`.
    """
    places = {each.number: at // _TURNS for at, each in enumerate(turns)}

    def href(turn: int) -> str:
        """Return the address of the turn with this number; "" if there is no such turn."""
        return f"{view.here(part=places[turn])}#turn-{turn}" if turn in places else ""

    return href


def _with_memory_links(view: PageView, words: Mapping[str, str], text: str) -> Markup:
    """Return a text as HTML on one line, escaped, with unseen characters and line breaks spelled out. Memory ids in it
    are links; each is shown as its text in `words`, else as the id.
    """
    out = Markup()
    for at, part in enumerate(_ID.split(text)):
        link = Markup('<a href="{}">{}</a>').format(view.href(f"memories/{part}"), visible(words.get(part, part)))
        out += link if at % 2 else escape(visible(part))
    return out


def _citations_by_recall(shown: SessionOutput) -> Mapping[str, Sequence[object]]:
    """Map the id of each recall that the session's citations belong to, to these citations, in the session's order."""
    out = dict[str, list[object]]()
    for each in shown.citations:
        out.setdefault(each.recall_id, []).append(each)
    return out


def _episode(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of the episode that the path names: `title` (the start of its topic),
    `shown` (the episode with its memories), and `turns`, those of the passages in the episode's file.
    """
    shown: EpisodeView = view.ask(EPISODE, episode_id=view.named["episode_id"])
    passages = _list_memories(view, {"session_id": shown.episode.session_id, "category": "moment"})
    passages_of_episode = [each for each in passages if each.path == shown.path]
    return {
        "title": headline(shown.episode.topic) or "An episode",
        "shown": shown,
        "turns": _conversation(view, passages_of_episode, shown.members, ()),
    }


def _documents(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of all documents: `title`, `told` (the documents), and `gone`, whether
    the query has that: then closed documents are listed, too.
    """
    gone = bool(view.query.get("gone"))
    return {"title": "Documents", "told": view.ask(DOCUMENTS, gone=gone), "gone": gone}


def _document(view: PageView) -> Mapping[str, object]:
    """Return the template values `title`, `shown` and `may_remove` for the page of the document that the path names."""
    shown = view.ask(DOCUMENT, name=view.named["name"])
    title = shown.document.title or shown.document.path
    return {"title": title, "shown": shown, "may_remove": view.may(REMOVE)}


def _projects(view: PageView) -> Mapping[str, object]:
    """Return the template values for the home page: `title`, and `projects`, every project. If the caller is not
    allowed to list these, or there are none, `granted` has instead the namespaces granted to the caller, without
    patterns that end with `*`.
    """
    rows = view.ask(PROJECTS).projects if view.may(PROJECTS) else ()
    granted = () if rows else [each.namespace for each in view.caller.grants if not each.namespace.endswith("*")]
    return {"title": "Projects", "projects": rows, "granted": granted}


DAYS: tuple[Page, ...] = (
    Page("/", "projects.html", _projects),
    Page("", "days_home.html", _days, "Days"),
    Page("sessions/{session_id:path}", "days_session.html", _session),
    Page("episodes/{episode_id}", "days_episode.html", _episode),
    Page("documents", "days_documents.html", _documents, "Documents"),
    Page("documents/{name:path}", "days_document.html", _document),
)
