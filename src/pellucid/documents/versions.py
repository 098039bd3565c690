"""What a header states, and since when, in; the versions of a document's header out: adjoining, each with its id.

A version that is there already keeps its id, so that reading a history twice changes nothing. Histories tell headers
alone: where a header names no title, its version is given one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pellucid.clock import Clock
from pellucid.model.document import HeaderVersion

Values = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HeaderState:
    """What a header states from an instant on; `values` is None while the document was absent."""

    at: datetime
    values: Values | None
    commit: str | None = None


def with_title(values: Values, title: str) -> dict[str, str]:
    """The values with `title` as their title, unless they have one."""
    return dict(values) if "title" in values else {"title": title, **values}


def versions_of(
    states: Iterable[HeaderState], old: Sequence[HeaderVersion], title: str, clock: Clock
) -> list[HeaderVersion]:
    """A header's states (ascending) as versions; one that is stored already (`old`) keeps its id, an absence makes
    none.

    New ones get an id from `clock`, and `title` where their values have none.
    """
    out: list[HeaderVersion] = []
    merged = _merged_states(states)
    ends = [*(each.at for each in merged[1:]), None]
    for each, end, known in zip(merged, ends, _known_versions(merged, old), strict=False):
        if each.values is not None:
            values = known.values if known else with_title(each.values, title)
            name = known.id if known else clock.new_id("mem")
            made = HeaderVersion(id=name, valid_from=each.at, valid_until=end, values=values, commit=each.commit)
            out.append(made)
    return out


def states_of_versions(old: Sequence[HeaderVersion]) -> Iterator[HeaderState]:
    """Stored versions as states: each version, and an absence where no version follows at once."""
    ends = [*(each.valid_from for each in old[1:]), None]
    for each, end in zip(old, ends, strict=False):
        yield HeaderState(each.valid_from, each.values, each.commit)
        if each.valid_until and each.valid_until != end:
            yield HeaderState(each.valid_until, None)


def history_up_to_now(
    history: Sequence[HeaderState], old: Sequence[HeaderVersion], now: HeaderState
) -> list[HeaderState]:
    """The states that commits tell, then those stored from the file after the last commit, then `now` if its header
    differs."""
    end = history[-1].at if history else None
    later = [each for each in states_of_versions(old) if each.commit is None and (end is None or each.at > end)]
    out = [*history, *later]
    if not out or not _is_same_header(out[-1].values, now.values):
        out.append(now if not out or now.at > out[-1].at else replace(now, at=out[-1].at))
    return out


def history_before_versions(history: Sequence[HeaderState], old: Sequence[HeaderVersion]) -> list[HeaderState]:
    """The states that rows of single values tell (`history`, not empty), then those of the stored versions after the
    last row.

    A value that rows told last and the header does not hold stays in force until the header was seen. Without a version
    in force after the last row the states end when the last version did.
    """
    last = history[-1]
    holding = [each for each in old if each.valid_until is None or each.valid_until > last.at]
    if not holding:
        end = old[-1].valid_until if old else None  # the document may have been gone before the last row
        return [*(each for each in history if not end or each.at < end), *([HeaderState(end, None)] if end else [])]
    later = [each for each in states_of_versions(holding) if each.at > last.at]
    values = {**(last.values or {}), **holding[0].values} if later else holding[0].values
    return [*history[:-1], replace(last, values=values), *later]


def _merged_states(states: Iterable[HeaderState]) -> list[HeaderState]:
    """The states without repetition: one no later than its neighbour replaces it, of equal ones the first stays; no
    leading absence."""
    out: list[HeaderState] = []
    for given in states:
        each = replace(given, at=out.pop().at) if out and out[-1].at >= given.at else given
        if out and _is_same_header(out[-1].values, each.values):
            if each.values and "title" in each.values:
                out[-1] = replace(out[-1], values=each.values)
        elif out or each.values is not None:
            out.append(each)
    return out


def _is_same_header(one: Values | None, other: Values | None) -> bool:
    """Whether two headers are equal; titles are compared only where both have one. None equals None alone."""
    if one is None or other is None:
        return one is other
    if ("title" in one) == ("title" in other):
        return dict(one) == dict(other)
    return _without_title(one) == _without_title(other)


def _without_title(values: Values) -> dict[str, str]:
    """The values without the title."""
    return {key: value for key, value in values.items() if key != "title"}


def _known_versions(states: Sequence[HeaderState], old: Sequence[HeaderVersion]) -> list[HeaderVersion | None]:
    """For each state the stored version with the same values and beginning, else None.

    The open version may also stand for the last equal state, whenever that began.
    """
    since = {each.valid_from: each for each in old}
    out = [
        known if (known := since.get(each.at)) and _is_same_header(each.values, known.values) else None
        for each in states
    ]
    held = next((each for each in old if each.valid_until is None), None)
    if held and held not in out:
        same = [
            place
            for place, each in enumerate(states)
            if _is_same_header(each.values, held.values) and out[place] is None
        ]
        if same:
            out[same[-1]] = held
    return out
