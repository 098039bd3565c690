"""The states of a header over time in, the versions of a document's header out: without overlaps, each with its id.

A version that is stored already keeps its id, so that reading a history twice changes nothing. Commits give headers
alone: a version without a title gets the document's.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pellucid.clock import Clock
from pellucid.model.document import HeaderVersion

Values = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HeaderState:
    """The values of a header from an instant on; `values` is None while the document was absent."""

    at: datetime
    values: Values | None
    commit: str | None = None


def with_title(values: Values, title: str) -> dict[str, str]:
    """Return the values with `title` as their title, unless they have a title."""
    return dict(values) if "title" in values else {"title": title, **values}


def versions_of(
    states: Iterable[HeaderState], stored: Sequence[HeaderVersion], title: str, clock: Clock
) -> list[HeaderVersion]:
    """Make the header versions of a header's states, which are in ascending order; each ends where the next state
    begins, the last has no end, and a state of absence makes none.

    Equal neighbours make one version. A version that is in `stored` already keeps its id and values. A new one gets an
    id from `clock`, and `title` unless its values have one.
    """
    out: list[HeaderVersion] = []
    merged = _merge_states(states)
    ends = [*(each.at for each in merged[1:]), None]
    for each, end, version in zip(merged, ends, _match_stored_versions(merged, stored), strict=False):
        if each.values is not None:
            values = version.values if version else with_title(each.values, title)
            id_ = version.id if version else clock.new_id("mem")
            made = HeaderVersion(id=id_, valid_from=each.at, valid_until=end, values=values, commit=each.commit)
            out.append(made)
    return out


def states_of_versions(versions: Sequence[HeaderVersion]) -> Iterator[HeaderState]:
    """Yield stored versions as states: each version, and an absence where it ends, unless the next begins then."""
    ends = [*(each.valid_from for each in versions[1:]), None]
    for each, end in zip(versions, ends, strict=False):
        yield HeaderState(each.valid_from, each.values, each.commit)
        if each.valid_until and each.valid_until != end:
            yield HeaderState(each.valid_until, None)


def history_up_to_now(
    commit_states: Sequence[HeaderState], stored: Sequence[HeaderVersion], present: HeaderState
) -> list[HeaderState]:
    """Return the states of a header up to now, ascending: first `commit_states`; then, of the states of the stored
    versions, those without a commit (read from the file itself, or an absence) that are later than the last of
    `commit_states`; then `present`, if its header differs from the last. `present` is dated no earlier than that last
    one. Stored states with a commit are left out: `commit_states` stand in for them.
    """
    end = commit_states[-1].at if commit_states else None
    later = [each for each in states_of_versions(stored) if each.commit is None and (end is None or each.at > end)]
    out = [*commit_states, *later]
    if not out or not _is_same_header(out[-1].values, present.values):
        out.append(present if not out or present.at > out[-1].at else replace(present, at=out[-1].at))
    return out


def history_before_versions(row_states: Sequence[HeaderState], stored: Sequence[HeaderVersion]) -> list[HeaderState]:
    """Return the states that imported rows of single values give (`row_states`, not empty), then those of the stored
    versions after the last row.

    The last row's state gets the values of the first stored version that has not ended by then; its other values stay
    only if a stored state follows. If all stored versions have ended by then, rows from the end of the last version on
    are dropped, and an absence ends the states; without stored versions, the rows are returned as they are.
    """
    last = row_states[-1]
    in_force = [each for each in stored if each.valid_until is None or each.valid_until > last.at]
    if not in_force:
        end = stored[-1].valid_until if stored else None  # the document may have been gone before the last row
        return [*(each for each in row_states if not end or each.at < end), *([HeaderState(end, None)] if end else [])]
    later = [each for each in states_of_versions(in_force) if each.at > last.at]
    values = {**(last.values or {}), **in_force[0].values} if later else in_force[0].values
    return [*row_states[:-1], replace(last, values=values), *later]


def _merge_states(states: Iterable[HeaderState]) -> list[HeaderState]:
    """Return the states without repetitions and without absences at the beginning.

    A state that is not later than the one before replaces it, with that one's time. Of equal neighbours
    (`_is_same_header`) the first stays, with the later one's values if these have a title.
    """
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
    """Whether two headers are equal; titles are compared only if both have one. None equals None alone."""
    if one is None or other is None:
        return one is other
    if ("title" in one) == ("title" in other):
        return dict(one) == dict(other)
    return _without_title(one) == _without_title(other)


def _without_title(values: Values) -> dict[str, str]:
    """Return the values without the title."""
    return {key: value for key, value in values.items() if key != "title"}


def _match_stored_versions(
    states: Sequence[HeaderState], stored: Sequence[HeaderVersion]
) -> list[HeaderVersion | None]:
    """Return for each state the stored version with the same values (`_is_same_header`) and the same start, else None.

    If the stored version without an end matches none so, it matches the last unmatched state with equal values,
    whenever that state starts.
    """
    by_begin = {each.valid_from: each for each in stored}
    matches = [
        version if (version := by_begin.get(each.at)) and _is_same_header(each.values, version.values) else None
        for each in states
    ]
    open_version = next((each for each in stored if each.valid_until is None), None)
    if open_version and open_version not in matches:
        equal_places = [
            place
            for place, each in enumerate(states)
            if _is_same_header(each.values, open_version.values) and matches[place] is None
        ]
        if equal_places:
            matches[equal_places[-1]] = open_version
    return matches
