"""Answers about the graph in, text for a person out: an entity and its neighbours, its states, an audit, a backfill."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.errors import field_name
from pellucid.surfaces.columns import is_for_terminal, past_instants
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pellucid.operations.graph.backfilling import BackfillOutput
    from pellucid.operations.graph.graphing import GraphAuditOutput, GraphShowOutput
    from pellucid.operations.graph.states import EntityHistoryOutput, EntityNamed, StateView

LINES = 40
"""The most lines of a backfill's differences that are shown; JSON has them all."""


def entity_text(output: GraphShowOutput) -> str:
    """Render an entity, its properties or from when on its history is known, and its neighbourhood hop by hop. Lines
    are of ASCII on a terminal without UTF-8; control characters are spelled out.
    """
    state = output.state
    properties = unknown_before(output.known_from)
    if state and state.props:
        properties = f"since {_day_and_time(state.valid_from)}: {_props(state.props)}{_cause_text(state)}"
    is_utf8 = not is_for_terminal() or "utf" in (sys.stdout.encoding or "utf-8").lower()
    head, *drawing = (visible(line) for line in output.text(ascii_only=not is_utf8).split("\n"))
    instants = past_instants(output.as_of, output.as_known_at)
    more = [f"{output.left_out} more were not looked around"] if output.left_out else []
    return "\n".join([*_alias_line(output.entity), head, *filter(None, (instants, properties)), *drawing, *more])


def states_text(outcome: EntityHistoryOutput) -> str:
    """Render the states that an entity went through, each with its span of time, cause and changes, then its present
    properties, or that nothing holds any more. If the history was asked as of an instant, render instead the properties
    of each state at that instant; without any, from when on the history is known, or that nothing was true.
    """
    entity = outcome.entity
    kind = entity.type if entity.defined else f"{entity.type}, not defined by any file"
    lines = [
        *_alias_line(entity),
        f"{visible(entity.name)}  {kind}",
        *filter(None, [past_instants(outcome.as_of, outcome.as_known_at)]),
    ]
    for each in outcome.states:
        span = f"{_day_and_time(each.valid_from)} – {_day_and_time(each.valid_until) if each.valid_until else 'now'}"
        lines.append(f"[{span}]  {each.event}{_cause_text(each)}")
        details = [f"{name}: {value}" for name, value in each.props.items()]
        if not outcome.as_of:
            details = [_change_text(change.attribute, change.before, change.after) for change in each.changed]
        lines += [f"  {visible(detail)}" for detail in details]
    if outcome.as_of and not outcome.states:
        lines.append(unknown_before(outcome.known_from) or "nothing was true of it then")
    if not outcome.as_of:
        lines.append(f"holds: {_props(outcome.holds)}" if outcome.holds is not None else "nothing holds any more")
    return "\n".join(lines)


def graph_audit_text(outcome: GraphAuditOutput) -> str:
    """Render the problems of the graph, each with why it matters, at most three places that say it and how many more
    there are, and what to do; then their counts, or that all fits together.
    """
    lines = [f"{outcome.entities} entities, {outcome.edges} edges, {outcome.documents} documents"]
    for each in outcome.problems:
        lines += [
            f"{each.kind.upper()}  {visible(each.what)}",
            f"  why   {visible(each.why)}",
            *(f"  said  {visible(' › '.join(filter(None, (at.path, at.section))))}" for at in each.where[:3]),
            *([f"  said  in {len(each.where) - 3} more places"] if len(each.where) > 3 else []),
            f"  next  {visible(each.next_step)}",
        ]
    kinds = _counts(Counter(each.kind for each in outcome.problems))
    total = f"{counted(len(outcome.problems), 'problem', 'problems')}: {kinds}"
    return "\n".join([*lines, total if outcome.problems else "all fits together"])


def backfill_text(outcome: BackfillOutput, go_on: str) -> str:
    """Render which files could not be read, then how reading every file again changed the graph in the index, or would
    change it: file by file, 40 lines at most, then counts; one line if it changes nothing. `go_on` is the command that
    makes the change, shown if it was not made, as in a preview.
    """
    lines = [f"could not be read: {visible(each)}" for each in outcome.unreadable]
    diff = [line for each in outcome.diffs for line in (visible(each.path), *_diff_lines(each.added, each.removed))]
    lines += diff[:LINES]
    if len(diff) > LINES:
        lines.append(f"… and {len(diff) - LINES} more lines: {field_name('as_json')} shows all")
    if not outcome.diffs:
        return "\n".join([*lines, f"{outcome.files} files: the graph is what they say"])
    change = "; ".join(
        f"{sign} {_counts(counts)}" for sign, counts in (("+", outcome.added), ("−", outcome.removed)) if counts
    )
    lines.append(
        f"read {outcome.files} files; different: {len(outcome.diffs)} ({change or 'in what answers for what'})"
    )
    if outcome.problem:
        lines.append(f"not all of it could be done: {visible(outcome.problem)}")
    ending = "the graph is now what the files say" if outcome.applied else f"nothing was changed; to go on: {go_on}"
    return "\n".join([*lines, ending])


def _alias_line(entity: EntityNamed) -> list[str]:
    """Return a line that the entity was asked for by another name; empty if it was not."""
    return [f"{visible(entity.asked)} is another name of {visible(entity.name)}"] if entity.alias else []


def unknown_before(known_from: datetime | None) -> str:
    """Return a sentence that an entity's history is known only from the instant `known_from` on; "" for None."""
    return f"its history before {_day_and_time(known_from)} is not known" if known_from else ""


def _cause_text(state: StateView) -> str:
    """Render in brackets the memory that caused a state, the place that states it (`gone since` if there is none now),
    and the first 12 characters of its commit, if known; "" if no cause is known.
    """
    commit = f", commit {visible(state.commit)[:12]}" if state.commit else ""
    return f"  (by {state.cause}, {visible(state.said_in or 'gone since')}{commit})" if state.cause else ""


def _change_text(name: str, before: str | None, after: str | None) -> str:
    """Render how the value of an attribute changed; None means that it had, or has, no value."""
    if after is None:
        return f"{name}: {before} → (none)"
    return f"{name}: {after}" if before is None else f"{name}: {before} → {after}"


def _props(props: Mapping[str, str] | None) -> str:
    """Render an entity's properties as `name: value; …`; `(nothing is said of it)` if there are none."""
    return visible("; ".join(f"{name}: {value}" for name, value in (props or {}).items())) or "(nothing is said of it)"


def _diff_lines(added: Sequence[str], removed: Sequence[str]) -> list[str]:
    """Return a line for each added edge, with a plus sign, then one for each removed edge, with a minus sign."""
    return [f"  + {visible(each)}" for each in added] + [f"  − {visible(each)}" for each in removed]


def _counts(counts: Mapping[str, int]) -> str:
    """Render counts as `name 3, other 1`, in the order given; "" if there are none."""
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _day_and_time(at: datetime) -> str:
    """Render an instant as `2026-04-20 17:30:00`; only the day if it is midnight UTC."""
    text = isoformat(at)
    return text[:10] if text.endswith("T00:00:00.000Z") else text[:19].replace("T", " ")
