"""What a header said, and since when, in; the versions of a document's header out: adjoining, each with its id.

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
class Said:
    """What a header said from an instant on; None: the document was not there."""

    at: datetime
    values: Values | None
    commit: str | None = None


def with_title(values: Values, title: str) -> dict[str, str]:
    """A header's values with a title: what is written down under a title keeps it."""
    return dict(values) if "title" in values else {"title": title, **values}


def versions_of(said: Iterable[Said], old: Sequence[HeaderVersion], title: str, clock: Clock) -> list[HeaderVersion]:
    """What a header said over time (`said`, ascending) as versions; one that is known (`old`) keeps its id.

    Those that are new get one from `clock`, and `title`, unless they say their own.
    """
    out: list[HeaderVersion] = []
    merged = _merged_versions(said)
    ends = [*(each.at for each in merged[1:]), None]
    for each, end, known in zip(merged, ends, _known_versions(merged, old), strict=False):
        if each.values is not None:
            values = known.values if known else with_title(each.values, title)
            name = known.id if known else clock.new_id("mem")
            made = HeaderVersion(id=name, valid_from=each.at, valid_until=end, values=values, commit=each.commit)
            out.append(made)
    return out


def said_by_versions(old: Sequence[HeaderVersion]) -> Iterator[Said]:
    """What known versions said, and since when; `values` is None where no version follows at once."""
    ends = [*(each.valid_from for each in old[1:]), None]
    for each, end in zip(old, ends, strict=False):
        yield Said(each.valid_from, each.values, each.commit)
        if each.valid_until and each.valid_until != end:
            yield Said(each.valid_until, None)


def history_up_to_now(history: Sequence[Said], old: Sequence[HeaderVersion], now: Said) -> list[Said]:
    """The history that commits tell, then what was read from the file after the last of them, then what it says now."""
    end = history[-1].at if history else None
    later = [each for each in said_by_versions(old) if each.commit is None and (end is None or each.at > end)]
    out = [*history, *later]
    if not out or not _is_same_header(out[-1].values, now.values):
        out.append(now if not out or now.at > out[-1].at else replace(now, at=out[-1].at))
    return out


def history_before_versions(history: Sequence[Said], old: Sequence[HeaderVersion]) -> list[Said]:
    """The history told by rows of single values, then what known versions said after the last of these rows.

    What rows told last and the header does not hold, though no row ended it, stands until the header was seen.
    """
    last = history[-1]
    holding = [each for each in old if each.valid_until is None or each.valid_until > last.at]
    if not holding:
        return _ended(history, old[-1].valid_until if old else None)
    later = [each for each in said_by_versions(holding) if each.at > last.at]
    values = {**(last.values or {}), **holding[0].values} if later else holding[0].values
    return [*history[:-1], replace(last, values=values), *later]


def _ended(history: Sequence[Said], end: datetime | None) -> list[Said]:
    """The history of a document of which nothing holds behind it: it may have been gone before the last row."""
    return [*(each for each in history if end is None or each.at < end), *([Said(end, None)] if end else [])]


def _merged_versions(said: Iterable[Said]) -> list[Said]:
    """What was said without repetition: of one instant the last, of equal neighbours the first; no leading absence."""
    out: list[Said] = []
    for given in said:
        each = replace(given, at=out.pop().at) if out and out[-1].at >= given.at else given
        if out and _is_same_header(out[-1].values, each.values):
            if each.values and "title" in each.values:
                out[-1] = replace(out[-1], values=each.values)
        elif out or each.values is not None:
            out.append(each)
    return out


def _is_same_header(one: Values | None, other: Values | None) -> bool:
    """Whether two headers say the same; a title counts where both have one."""
    if one is None or other is None:
        return one is other
    if ("title" in one) == ("title" in other):
        return dict(one) == dict(other)
    return _bare(one) == _bare(other)


def _bare(values: Values) -> dict[str, str]:
    return {key: value for key, value in values.items() if key != "title"}


def _known_versions(said: Sequence[Said], old: Sequence[HeaderVersion]) -> list[HeaderVersion | None]:
    """For each thing said the known version of just this since just then; None where there is none.

    The open version may also stand for the last place that says the same, whenever that was.
    """
    since = {each.valid_from: each for each in old}
    out = [
        known if (known := since.get(each.at)) and _is_same_header(each.values, known.values) else None for each in said
    ]
    held = next((each for each in old if each.valid_until is None), None)
    if held and held not in out:
        same = [
            place for place, each in enumerate(said) if _is_same_header(each.values, held.values) and out[place] is None
        ]
        if same:
            out[same[-1]] = held
    return out
