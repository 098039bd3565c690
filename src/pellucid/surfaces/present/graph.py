"""What the graph holds in, text for a person out: a thing and its neighbours, its states, an audit, a backfill."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.surfaces.columns import is_for_terminal
from pellucid.surfaces.commands import flag
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from pellucid.operations.graph.backfilling import BackfillOutput
    from pellucid.operations.graph.graphing import GraphAuditOutput, GraphShowOutput
    from pellucid.operations.graph.states import EntityHistoryOutput, EntityNamed, StateView

LINES = 40
"""Lines of a backfill's difference that are shown; JSON has them all."""


def shown(output: GraphShowOutput) -> str:
    """A thing, what is true of it, and its neighbourhood hop by hop."""
    state = output.state
    holds = (
        [f"since {_day_and_time(state.valid_from)}: {_props(state.props)}{_cause_line(state)}"]
        if state and state.props
        else list(filter(None, [unknown_before(output.known_from)]))
    )
    head, *drawn = (visible(line) for line in output.text(ascii_only=not _draws()).split("\n"))
    more = [f"{output.left_out} more were not looked around"] if output.left_out else []
    return "\n".join(
        [*_alias_line(output.entity), head, *_past_instants(output.as_of, output.as_known_at), *holds, *drawn, *more]
    )


def states(outcome: EntityHistoryOutput) -> str:
    """A thing's states, oldest first, each with what differs and what brought it about; then what holds."""
    entity = outcome.entity
    kind = entity.type if entity.defined else f"{entity.type}, not defined by any file"
    lines = [
        *_alias_line(entity),
        f"{visible(entity.name)}  {kind}",
        *_past_instants(outcome.as_of, outcome.as_known_at),
    ]
    for each in outcome.states:
        span = f"{_day_and_time(each.valid_from)} – {_day_and_time(each.valid_until) if each.valid_until else 'now'}"
        lines.append(f"[{span}]  {each.event}{_cause_line(each)}")
        if outcome.as_of:
            lines += [f"  {visible(f'{name}: {value}')}" for name, value in each.props.items()]
        else:
            lines += [
                f"  {visible(_change_line(change.attribute, change.before, change.after))}" for change in each.changed
            ]
    if outcome.as_of and not outcome.states:
        lines.append(unknown_before(outcome.known_from) or "nothing was true of it then")
    if not outcome.as_of:
        lines.append(f"holds: {_props(outcome.holds)}" if outcome.holds is not None else "nothing holds any more")
    return "\n".join(lines)


def audited(outcome: GraphAuditOutput) -> str:
    """What does not fit together, each with why it matters, where it was said and what to do."""
    lines = [f"{outcome.entities} entities, {outcome.edges} edges, {outcome.documents} documents"]
    for each in outcome.problems:
        lines += [
            f"{each.kind.upper()}  {visible(each.what)}",
            f"  why   {visible(each.why)}",
            *(f"  said  {visible(_place(place.path, place.section))}" for place in each.where[:3]),
            *([f"  said  in {len(each.where) - 3} more places"] if len(each.where) > 3 else []),
            f"  next  {visible(each.next_step)}",
        ]
    kinds = _counts(Counter(each.kind for each in outcome.problems))
    return "\n".join(
        [
            *lines,
            f"{counted(len(outcome.problems), 'problem', 'problems')}: {kinds}"
            if outcome.problems
            else "all fits together",
        ]
    )


def backfilled(outcome: BackfillOutput, go_on: str) -> str:
    """How the graph would change, or has, file by file; then what to do about it."""
    lines = [f"could not be read: {visible(each)}" for each in outcome.unreadable]
    found = [line for each in outcome.diffs for line in (visible(each.path), *_signed(each.added, each.removed))]
    lines += found[:LINES]
    if len(found) > LINES:
        lines.append(f"… and {len(found) - LINES} more lines: {flag('--json')} shows all")
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
    done = "the graph is now what the files say" if outcome.applied else f"nothing was changed; to go on: {go_on}"
    return "\n".join([*lines, done])


def _alias_line(entity: EntityNamed) -> list[str]:
    return [f"{visible(entity.asked)} is another name of {visible(entity.name)}"] if entity.alias else []


def _past_instants(as_of: datetime | None, as_known_at: datetime | None) -> list[str]:
    said = [f"as of {isoformat(as_of)}"] if as_of else []
    said += [f"as known at {isoformat(as_known_at)}"] if as_known_at else []
    return [", ".join(said)] if said else []


def unknown_before(known_from: datetime | None) -> str:
    """That nothing is known of a time so early, which is not to say that nothing was; empty where something is."""
    return f"its history before {_day_and_time(known_from)} is not known" if known_from else ""


def _cause_line(state: StateView) -> str:
    """What brought a state about: a memory, where it stands, and a commit."""
    commit = f", commit {visible(state.commit)[:12]}" if state.commit else ""
    return f"  (by {state.cause}, {visible(state.said_in or 'gone since')}{commit})" if state.cause else ""


def _change_line(name: str, before: str | None, after: str | None) -> str:
    if after is None:
        return f"{name}: {before} → (none)"
    return f"{name}: {after}" if before is None else f"{name}: {before} → {after}"


def _props(props: Mapping[str, str] | None) -> str:
    return visible("; ".join(f"{name}: {value}" for name, value in (props or {}).items())) or "(nothing is said of it)"


def _place(path: str, section: str) -> str:
    return f"{path} › {section}" if section else path


def _signed(added: Sequence[str], removed: Sequence[str]) -> Iterable[str]:
    yield from (f"  + {visible(each)}" for each in added)
    yield from (f"  − {visible(each)}" for each in removed)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _day_and_time(at: datetime) -> str:
    """The day; with the time where it is not midnight."""
    text = isoformat(at)
    return text[:10] if text.endswith("T00:00:00.000Z") else text[:19].replace("T", " ")


def _draws() -> bool:
    """Whether the terminal's encoding has our arrows; a pipe takes UTF-8."""
    return not is_for_terminal() or "utf" in (sys.stdout.encoding or "utf-8").lower()
