"""A project, a session, an episode or a document in, what their templates are given out."""

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
from pellucid.operations.session.looking.sessions import turn_of
from pellucid.operations.session.looking.showing import SESSION, LeftOut, SessionOutput
from pellucid.surfaces.dashboard.charts.calendar import DayCell, calendar
from pellucid.surfaces.dashboard.conversation import TurnSaid, marks_of, turns_said
from pellucid.surfaces.dashboard.view import Page, View
from pellucid.xray.words.headline import headline
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

_SESSIONS = 20
"""Sessions on a page."""
_CHARACTERS = 100_000
_TURNS = 60
"""Turns of a conversation on a page."""
_ALL = 10_000
_ID = re.compile(r"\b(mem_[0-9a-f]{32})\b")
_RECALLS = 200


def _days(view: View) -> Mapping[str, object]:
    """What was done, by day: the last sessions, or those of one day."""
    day = view.query.get("day", "")
    told = view.ask(BRIEF, sessions=_SESSIONS, budget=_CHARACTERS, day=day, after=view.query.get("after"))
    cells = [_cell(view, each) for each in told.days]
    by_day = dict[str, list[SessionBrief]]()
    for each in told.sessions:
        by_day.setdefault(each.day, []).append(each)
    return {
        "title": f"What was done on {day}" if day else "What was done, by day",
        "told": told,
        "by_day": by_day,
        "day": day,
        "calendar": calendar(cells, next((each.day for each in cells if f"{each.day}" == day), None)),
        "name": _name,
    }


def _cell(view: View, day: BriefDay) -> DayCell:
    words = f"{day.day}: {counted(day.sessions, 'session')}, {counted(day.memories, 'memory', 'memories')}"
    return DayCell(date.fromisoformat(day.day), day.sessions + day.memories, words, view.href(day=day.day))


def _name(session: SessionBrief) -> str:
    """A session by what it was for, else by what came of it; by its id where nothing tells."""
    lines = (session.asked, *session.decided, *session.done, *session.left_open, *session.kept)
    return next((headline(each.text) for each in lines if each), f"Session {session.session_id}")


def _session(view: View) -> Mapping[str, object]:
    """One session: in short, what came of it, what was left out, what it recalled, what was said."""
    shown: SessionOutput = view.ask(SESSION, session_id=view.named["session_id"])
    of_session = {"session_id": shown.session_id}
    kept = [each for each in _listed(view, of_session) if each.memory.category != "moment"]
    said = _listed(view, {**of_session, "category": "moment"})
    episodes = view.ask(EPISODES, limit=1000, **of_session).episodes
    recalls = view.ask(SNAPSHOTS, limit=_RECALLS, **of_session)
    turns = _conversation(view, said, kept, shown.left_out)
    part = _part(view, turns)
    return {
        "title": _name(shown.session) if shown.session else f"Session {shown.session_id}",
        "shown": shown,
        "kept": sorted((each.memory for each in kept), key=lambda memory: (turn_of(memory), memory.id)),
        "turn_of": turn_of,
        "episodes": episodes[::-1],
        "recalls": recalls,
        "cited": _by_recall(shown),
        "linked": partial(_linked, view, shown.words),
        "turns": turns[part * _TURNS : (part + 1) * _TURNS],
        "part": part,
        "stretches": [(each[0].number, each[-1].number) for each in _cut(turns)],
        "turn_href": _turn_href(view, turns),
        "may_keep": view.may(REMEMBER),
    }


def _listed(view: View, fields: Mapping[str, object]) -> Sequence[Listed]:
    return view.ask(LIST, status="any", limit=_ALL, **fields).memories


def _conversation(
    view: View, said: Sequence[Listed], kept: Sequence[Listed], left: Sequence[LeftOut]
) -> list[TurnSaid]:
    marks = marks_of([each.memory for each in kept], left, lambda memory_id: view.href(f"memories/{memory_id}"))
    return list(turns_said((each.memory for each in said), marks))


def _cut(turns: Sequence[TurnSaid]) -> list[Sequence[TurnSaid]]:
    return [turns[at : at + _TURNS] for at in range(0, len(turns), _TURNS)]


def _part(view: View, turns: Sequence[TurnSaid]) -> int:
    """Which page of the conversation is meant; where that is none, the first."""
    asked = view.query.get("part", "")
    return int(asked) if asked.isdecimal() and len(asked) < 6 and int(asked) < len(_cut(turns)) else 0


def _turn_href(view: View, turns: Sequence[TurnSaid]) -> Any:
    """Where a turn of the conversation stands, by its number; empty where it is not kept."""
    places = {each.number: at // _TURNS for at, each in enumerate(turns)}

    def href(turn: int) -> str:
        return f"{view.here(part=places[turn])}#turn-{turn}" if turn in places else ""

    return href


def _linked(view: View, words: Mapping[str, str], text: str) -> Markup:
    """A text with the memories that it names as links, by their words."""
    out = Markup()
    for at, part in enumerate(_ID.split(text)):
        link = Markup('<a href="{}">{}</a>').format(view.href(f"memories/{part}"), visible(words.get(part, part)))
        out += link if at % 2 else escape(visible(part))
    return out


def _by_recall(shown: SessionOutput) -> Mapping[str, Sequence[object]]:
    """The citations of a session, by the recall that had given the memory."""
    out = dict[str, list[object]]()
    for each in shown.citations:
        out.setdefault(each.recall_id, []).append(each)
    return out


def _episode(view: View) -> Mapping[str, object]:
    """One episode: what it was about, made and left, and its turns."""
    shown: EpisodeView = view.ask(EPISODE, episode_id=view.named["episode_id"])
    passages = _listed(view, {"session_id": shown.episode.session_id, "category": "moment"})
    said = [each for each in passages if each.path == shown.path]
    return {
        "title": headline(shown.episode.topic) or "An episode",
        "shown": shown,
        "turns": _conversation(view, said, shown.members, ()),
    }


def _documents(view: View) -> Mapping[str, object]:
    gone = bool(view.query.get("gone"))
    return {"title": "Documents", "told": view.ask(DOCUMENTS, gone=gone), "gone": gone}


def _document(view: View) -> Mapping[str, object]:
    shown = view.ask(DOCUMENT, name=view.named["name"])
    title = shown.document.title or shown.document.path
    return {"title": title, "shown": shown, "may_remove": view.may(REMOVE)}


DAYS: tuple[Page, ...] = (
    Page("", "days_home.html", _days, "Days"),
    Page("sessions/{session_id:path}", "days_session.html", _session),
    Page("episodes/{episode_id}", "days_episode.html", _episode),
    Page("documents", "days_documents.html", _documents, "Documents"),
    Page("documents/{name:path}", "days_document.html", _document),
)
"""The project's home, its sessions, and its documents."""
