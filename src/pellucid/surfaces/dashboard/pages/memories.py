"""A request for memories in, the values of their pages out: memories that fit, memories that answer, and one memory."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from pellucid.clock import epoch_ms, in_utc
from pellucid.errors import InputError, NotFoundError
from pellucid.model.memory import CATEGORIES, STATUSES, Memory, recorded_at
from pellucid.operations.browsing import LIST, SHOW
from pellucid.operations.graph.graphing import GRAPH_SHOW, GraphShowOutput
from pellucid.operations.memory.changing import ARCHIVE, DISPUTE, PIN, RETRACT, UPDATE
from pellucid.operations.memory.forgetting import FORGET
from pellucid.operations.memory.reverifying import REVERIFY
from pellucid.operations.memory.storytelling import EPISODE, HISTORY, HistoryOutput
from pellucid.operations.memory.trusting import PROMOTE, QUARANTINE, TRUST_EXPLAIN
from pellucid.operations.memory.undoing import UNDO
from pellucid.operations.recall.kept.serving import SERVING
from pellucid.operations.recall.recalling import RECALL
from pellucid.store.graph_port import Node
from pellucid.surfaces.dashboard.charts.timeline import TimelineSpan, timeline
from pellucid.surfaces.dashboard.rendering import markdown
from pellucid.surfaces.dashboard.view import Page, PageView
from pellucid.xray.words.headline import headline
from pellucid.xray.words.visible import visible

_ON_A_PAGE, _BESIDE = 30, 8
_FOLDED = ("tag", "entity", "session", "since", "until", "asOf", "asKnownAt")
"""Filters that are seldom used: they are folded unless one of them is set."""
_ROWS = {
    "update": UPDATE,
    "archive": ARCHIVE,
    "retract": RETRACT,
    "dispute": DISPUTE,
    "pin": PIN,
    "undo": UNDO,
    "reverify": REVERIFY,
    "forget": FORGET,
    "promote": PROMOTE,
    "quarantine": QUARANTINE,
}
"""The operations on a memory, by the names that templates use."""


def _search(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of memories: as `found`, at most 30 that fit the filters of the query;
    or, if its `how` is `question`, as `answer` the recall of its `q`, parted into memories (`told`) and `passages`.

    The other of `found` and `answer` is None; both are None for a question without words. If no status is given, only
    active memories fit; for a past instant (`asOf`, `asKnownAt`) those of every status do, even if one is given. The
    query's filters are in `asked`.
    """
    filters = {name: value.strip() for name, value in view.query.items()}
    past_instants = {"as_of": filters.get("asOf"), "as_known_at": filters.get("asKnownAt")}
    dates = {"since": filters.get("since"), "until": filters.get("until")}
    is_question, words = filters.get("how") == "question", filters.get("q", "")
    found = answer = None
    if is_question and words:
        categories = [filters["category"]] if filters.get("category") else None
        tags = [filters["tag"]] if filters.get("tag") else None
        of = {"tags": tags, "categories": categories, "in_session": filters.get("session")}
        answer = view.ask(RECALL, query=words, **of, **past_instants, **dates)
    elif not is_question:
        status = None if any(past_instants.values()) else filters.get("status") or "active"
        of = {"tag": filters.get("tag"), "entity_ref": filters.get("entity"), "session_id": filters.get("session")}
        of |= {"category": filters.get("category"), "status": status, "contains": words, "after": filters.get("after")}
        found = view.ask(LIST, limit=_ON_A_PAGE, **of, **past_instants, **dates)
    return {
        "title": "Memories",
        "asked": filters,
        "is_question": is_question,
        "is_narrowed": any(filters.get(name) for name in _FOLDED),
        "found": found,
        "answer": answer,
        "told": [each for each in answer.memories if each.memory.category != "moment"] if answer else (),
        "passages": [each for each in answer.memories if each.memory.category == "moment"] if answer else (),
        "categories": CATEGORIES,
        "statuses": STATUSES,
    }


def _memory(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of the memory that the path names: `title`, `shown`, `memory`, its
    `sources`, history (`story`), `serving` (recalls that returned it), `beside`, `trust`, the operations that the
    caller `may` run, and those of `_time_view` and `_graph_view`. For a memory that was forgotten only its history as
    `story`, a `title`, and `shown`, which is None; `NotFoundError` if there never was one.
    """
    memory_id = view.named["memory_id"]
    try:
        shown = view.ask(SHOW, memory_id=memory_id)
    except NotFoundError:
        return {
            "title": "A memory that was forgotten",
            "story": view.ask(HISTORY, name=f"mem_{memory_id.removeprefix('mem_')}"),
            "shown": None,
        }
    memory: Memory = shown.memory
    story: HistoryOutput = view.ask(HISTORY, name=memory.id)
    now = view.host.app.clock.now()
    words = headline(memory.content)
    html = markdown(memory.content)
    at = _parse_instant(view.query.get("at", ""), now)
    return {
        "title": words,
        "shown": shown,
        "memory": memory,
        "whole": html if html.strip() != Markup("<p>{}</p>").format(visible(words)) else "",
        "sources": [_source(view, memory, each) for each in memory.evidence],
        "story": story,
        "newer": memory.superseded_by,
        **_time_view(view, memory, story, at, now),
        "serving": view.ask(SERVING, memory_id=memory.id, after=view.query.get("after")),
        "beside": _beside(view, memory),
        **_graph_view(view, memory),
        "trust": view.ask(TRUST_EXPLAIN, memory_id=memory.id),
        "may": {name: row for name, row in _ROWS.items() if view.may(row)},
        "categories": CATEGORIES,
    }


def _source(view: PageView, memory: Memory, place: str) -> Mapping[str, str]:
    """Return a `place` from which a memory was made: its `quote` ("" if none), its first `turn`, and as `href` the link
    to that turn. The link is "" if the place is not a turn of the memory's session.
    """
    session_id, _, turn_range = place.rpartition(":")
    first = turn_range.partition("-")[0]
    is_turn = session_id == memory.session_id and first.isdecimal()
    href = f"{view.href(f'sessions/{session_id}', turn=first)}#turn-{first}" if is_turn else ""
    return {"place": place, "quote": memory.evidence_quotes.get(place, ""), "href": href, "turn": first}


def _time_view(
    view: PageView, memory: Memory, story: HistoryOutput, at: datetime | None, now: datetime
) -> Mapping[str, object]:
    """Return the template values for a memory's timeline (`chart`, `slider`, `at`), and for the version that held at
    the instant `at` (`held`, `held_memory`): None if no version held, or `at` is None. With `known` in the query, only
    what was known at `at` counts: then they are None, too, if the memory was recorded later. `story` has the versions
    and events, `now` is the right end of the chart.
    """
    spans = [_timeline_span(view, each.memory, story) for each in story.versions]
    begin = min(each.since for each in spans)
    known_filter = {"as_known_at": at} if view.query.get("known") else {}
    is_known = at and (not known_filter or recorded_at(memory.id, memory.created) <= at)
    history = view.ask(HISTORY, name=memory.id, as_of=at, **known_filter) if is_known else None
    version = history.held if history else None
    return {
        "chart": timeline(spans, now, f"How {len(spans)} version(s) of this memory stood over time", at),
        "slider": _slider(begin, at or now, now),
        "at": at,
        "held": version,
        "held_memory": next((each.memory for each in history.versions if each.memory.id == version.memory_id), None)
        if history and version
        else None,
    }


def _slider(begin: datetime, at: datetime, now: datetime) -> Mapping[str, int]:
    """Return the `min`, `max`, `step` and `at` (the present place, not below `min`) of a slider from `begin` to `now`,
    in epoch milliseconds. The slider has some 500 steps.
    """
    first, millis = epoch_ms(begin), epoch_ms(now) - epoch_ms(begin) + 1
    step = max(millis // 500, 1)
    steps = -(-millis // step)  # rounded up, so that the last step reaches `now`
    return {"min": first, "max": first + steps * step, "step": step, "at": max(first, epoch_ms(at))}


def _timeline_span(view: PageView, memory: Memory, story: HistoryOutput) -> TimelineSpan:
    """Return a version of a memory as a bar of the timeline: from its `valid_at`, else its creation, to the first of
    `invalid_at` and `expires_at` (None if it has neither); its events in `story` are marks.
    """
    ends = [each for each in (memory.invalid_at, memory.expires_at) if each is not None]
    kind = "quarantine" if memory.status == "active" and memory.trust_zone == "quarantine" else memory.status
    return TimelineSpan(
        label=f"{headline(memory.content, 90)} ({kind})",
        since=memory.valid_at or memory.created,
        until=min(ends, default=None),
        kind=kind,
        href=view.href(f"memories/{memory.id}"),
        marks=[
            (row.timestamp, f"{row.event_type}, {row.timestamp:%Y-%m-%d %H:%M}")
            for row in story.events
            if row.memory_id == memory.id
        ],
    )


def _parse_instant(text: str, now: datetime) -> datetime | None:
    """Return the instant of a slider (digits: epoch milliseconds) or a link (ISO date or date-time, in UTC without a
    zone), at most `now`. None for ""; `InputError` for any other text.
    """
    if not text:
        return None
    try:
        at = datetime.fromtimestamp(int(text) / 1000, UTC) if text.isdecimal() else datetime.fromisoformat(text)
        return min(in_utc(at), now)
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(f'at expects a date, a date-time or epoch milliseconds; got "{text}"') from error


def _beside(view: PageView, memory: Memory) -> Sequence[Memory]:
    """Return the first eight, at most, of the other memories of the same episode; empty if the memory has no episode,
    or the episode's file is gone.
    """
    if memory.episode_id is None:
        return ()
    try:
        members = view.ask(EPISODE, episode_id=memory.episode_id).members
    except NotFoundError:  # its file is gone, or never was
        return ()
    return [each.memory for each in members if each.memory.id != memory.id][:_BESIDE]


def _graph_view(view: PageView, memory: Memory) -> Mapping[str, Any]:
    """Return the template values for the graph around a memory, two hops far: `graph`, `picture` (SVG), and two maps by
    a node's name: `leads` (to the node's page) and `words` (to its words, or its name). If the graph does not know the
    memory, or has no edges at it, only `graph`, which is then None.
    """
    try:
        graph: GraphShowOutput = view.ask(GRAPH_SHOW, name=memory.id, hops=2)
    except NotFoundError:
        return {"graph": None}
    if not graph.edges:
        return {"graph": None}

    def link(node: Node) -> str:
        """Return the page of a node: a memory's, an episode's, else a search for its name."""
        if node.type == "Memory":
            return view.href(f"memories/{node.key}")
        if node.type == "Episode":
            return view.href(f"episodes/{node.key}")
        return view.href("memories", q=node.name)

    return {
        "graph": graph,
        "picture": Markup(graph.svg(link)),  # noqa: S704  # it escapes what it draws
        "leads": {each.name: link(Node(-1, each.key, each.name, each.type)) for each in graph.nodes},
        "words": {each.name: each.words or each.name for each in graph.nodes},
    }


MEMORIES = (
    Page("memories", "memories_search.html", _search, label="Memories"),
    Page("memories/{memory_id}", "memories_one.html", _memory),
)
