"""Facts that changed and the rankings of questions about them in, how often the newer ranks above the older out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from pellucid.lab.datasets.dataset import Group, Update
from pellucid.lab.metrics.ranking import Ranking, interval, keys_of
from pellucid.language.spelling import attribute_key
from pellucid.model.memory import Memory

DEPTH = 50  # places within which a memory counts as retrieved

Case = Literal["newerAbove", "newerOnly", "olderAbove", "olderOnly", "neither"]
CASES: tuple[Case, ...] = ("newerAbove", "newerOnly", "olderAbove", "olderOnly", "neither")
"""Both retrieved, newer first; only the newer; both, older first (or in one memory); only the older; neither."""


def case(older: Sequence[str], newer: Sequence[str], ranking: Ranking) -> Case:
    """Classify one changed fact by which of its statements ranks higher within 50 ranks; `older` and `newer` are the
    keys of the records that state it.

    A statement outside these ranks ranks below all. If both are first cited at one rank, the case is `olderAbove`.
    """
    first_older, first_newer = _first(ranking, older), _first(ranking, newer)
    if first_newer is None:
        return "neither" if first_older is None else "olderOnly"
    if first_older is None:
        return "newerOnly"
    return "newerAbove" if first_newer < first_older else "olderAbove"


def newer_above(updates: Sequence[Update], rankings: Sequence[Ranking]) -> dict[str, Any]:
    """Return the number of facts (`pairs`), the share of them whose newer statement ranks above the older, or is alone
    within 50 ranks (`newerAbove`), with its 95 % `interval`, and the counts of all `cases` (see `case`), in wire form.
    `rankings` is aligned with `updates`.
    """
    cases = [case(update.older, update.newer, ranking) for update, ranking in zip(updates, rankings, strict=True)]
    above = np.array([float(each in ("newerAbove", "newerOnly")) for each in cases])
    counts = Counter(cases)
    return {
        "pairs": len(cases),
        "newerAbove": round(float(above.mean()), 4) if cases else 0.0,
        "interval": interval(above),
        "cases": {each: counts[each] for each in CASES},
    }


def of_user_turns(
    group: Group, updates: Sequence[Update], rankings: Sequence[Ranking]
) -> tuple[list[Update], list[Ranking]]:
    """Return the updates, restricted to statements in the user's turns, and their rankings, aligned.

    Updates that lack such a statement on one of their sides are dropped.
    """
    user_keys = {record.key for record in group.records if record.turn.role == "user"}
    out: list[tuple[Update, Ranking]] = []
    for update, ranking in zip(updates, rankings, strict=True):
        older, newer = (tuple(key for key in keys if key in user_keys) for keys in (update.older, update.newer))
        if older and newer:
            out.append((Update(update.question, older, newer), ranking))
    return [update for update, _ in out], [ranking for _, ranking in out]


def same_attribute(updates: Sequence[Update], memories: Sequence[tuple[Memory, Sequence[str]]]) -> dict[str, int]:
    """Count the updates (`pairs`), those whose two sides state the same `entity::attribute` (`sameAttribute`), those of
    them whose values differ (`changed`), and those of these whose older value is put aside (`superseded`).

    `memories` are all that were kept, each with the keys of its evidence. An older value is put aside if every older
    memory that states the attribute is superseded, or has the attribute retired.
    """
    out: dict[str, int] = {"pairs": 0, "sameAttribute": 0, "changed": 0, "superseded": 0}
    for update in updates:
        older, newer = _find_statements(memories, update.older), _find_statements(memories, update.newer)
        shared = older.keys() & newer.keys()
        changed = {key for key in shared if _values(older[key]).isdisjoint(_values(newer[key]))}
        retired = [all(_is_retired(*each) for each in older[key]) for key in changed]
        out["pairs"] += 1
        out["sameAttribute"] += bool(shared)
        out["changed"] += bool(changed)
        out["superseded"] += bool(changed) and all(retired)
    return out


Statements = Mapping[str, list[tuple[Memory, str]]]
"""Maps each `entity::attribute` to the memories that state it, each with the attribute's name."""


def _find_statements(memories: Sequence[tuple[Memory, Sequence[str]]], keys: Sequence[str]) -> Statements:
    """Map each `entity::attribute` that memories citing one of these records (`keys`) state to (memory, attribute
    name).
    """
    out: dict[str, list[tuple[Memory, str]]] = {}
    for memory, covered in memories:
        if memory.entity_ref and not set(keys).isdisjoint(covered):
            for name in memory.structured_attributes:
                out.setdefault(attribute_key(memory.entity_ref, name), []).append((memory, name))
    return out


def _values(statements: Sequence[tuple[Memory, str]]) -> set[str]:
    """Return the values that memories give to an attribute, casefolded and stripped; `statements` has each memory with
    its name for the attribute.
    """
    return {memory.structured_attributes[name].casefold().strip() for memory, name in statements}


def _is_retired(memory: Memory, name: str) -> bool:
    """Whether a memory is superseded, or its attribute `name` is retired."""
    return memory.status == "superseded" or name in memory.retired_attributes


def _first(ranking: Ranking, keys: Sequence[str]) -> int | None:
    """Return the first rank (from 0) with one of these keys within `DEPTH`; None if there is none."""
    wanted = set(keys)
    return next((at for at, item in enumerate(ranking[:DEPTH]) if not wanted.isdisjoint(keys_of(item))), None)
