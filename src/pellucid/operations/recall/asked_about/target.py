"""An id or a few words in, the one memory that is meant out, or those that it might be."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import InputError, NotFoundError, field_name
from pellucid.language.spelling import content_hash, normalise
from pellucid.recall.query.plan import encode
from pellucid.recall.state import Request, World
from pellucid.store.index_port import EVERY_SCOPE, Admission, Rows, Served

Matched = Literal["id", "prefix", "content", "words", "meaning", "verdict", "question"]
SHOWN = 10
"""Candidates shown where several fit."""
_ALIKE, _NEAR, _LEAD = 0.35, 0.6, 0.05
"""The cosine from which a memory resembles some words; from which the nearest is taken to be the one meant, and by how
much it must lead."""
_PREFIX = re.compile(r"(?:mem_)?([0-9a-f]{8,32})")
_NEXT = f"`pellucid list` shows ids; {field_name('namespace')} names another place"


@dataclass(frozen=True, slots=True)
class Target:
    """The memories that a text may mean: the first of `total` candidates, and how they were matched."""

    matched: Matched
    candidates: tuple[Served, ...]
    total: int

    @property
    def held(self) -> Served | None:
        """The memory that is meant, if there is only one; else None."""
        return self.candidates[0] if self.total == 1 else None


def find_target(app: App, request: Request, text: str) -> Target:
    """Find the memory that a text means: by id (or its beginning or last ten digits) or path, else by content, part of
    it, or meaning.

    Raises:
        InputError: there is no text.
        NotFoundError: nothing here has that id, or is like these words: a foreign id is as unknown as any other.
    """
    said = text.strip()
    if not said:
        raise InputError("<memory> is required: an id, or words of it", code="missing_memory")
    return find_by_name(app, request.namespace, said) or _find_nearest(app, request, said)


def find_by_name(app: App, namespace: str, text: str) -> Target | None:
    """Find the memories that a text names by id or path, or that contain it; None if there are none. NotFoundError for
    an id that no memory has."""
    return _find_by_id(app, namespace, text) or _find_by_words(app, namespace, text)


def _find_by_id(app: App, namespace: str, text: str) -> Target | None:
    """Find a memory by its id, the beginning or end of it, or its path; None if the text is none of these.
    NotFoundError for a text that is clearly an id and that no memory has."""
    if exact := app.index.memories(namespace, [text]):
        return Target("id", tuple(exact), 1)
    find_by_name = _PREFIX.fullmatch(text)
    if find_by_name is None and "/" not in text and not text.startswith("mem_"):
        return None
    digits = find_by_name[1] if find_by_name else ""
    found = [
        each
        for each in app.index.memories(namespace)
        if each.path == text or (digits and (each.memory.id[4:].startswith(digits) or each.memory.id[-10:] == digits))
    ]
    if found:
        return _target_of("prefix", found)
    if text.startswith("mem_") or len(digits) == 32:
        raise NotFoundError(f"no memory {text} in {namespace}", next_step=_NEXT)
    return None


def _find_by_words(app: App, namespace: str, text: str) -> Target | None:
    """Find memories whose content equals the text, else those that contain it in any case (passages only if nothing
    else does); None if none do."""
    same = app.index.holding(namespace, [content_hash(text)])
    if same:
        return _target_of(
            "content", app.index.memories(namespace, [each for held in same.values() for each in held.values()])
        )
    wanted = text.casefold()
    holding = [each for each in app.index.memories(namespace) if wanted in each.memory.content.casefold()]
    whole = [each for each in holding if normalise(each.memory.content) == normalise(text)]
    if whole:
        return _target_of("content", whole)
    own = [each for each in holding if each.memory.category != "moment"] or holding
    return _target_of("words", own) if own else None


def _find_nearest(app: App, request: Request, text: str) -> Target:
    """Find the memories nearest to a text by meaning, whatever their state (by words if there is no encoder): one if it
    is clearly nearest, else up to ten. NotFoundError if none is alike."""
    with app.recaller.world(request, app.deadline) as world:
        rows, scores = _search_nearest(world, request, text)
        found = world.reader.memories(rows)
    if not found:
        raise NotFoundError(f'nothing in {request.namespace} is like "{text}"', next_step=_NEXT)
    clear = len(found) == 1 or (scores[0] >= _NEAR and scores[0] - scores[1] >= _LEAD)
    return _target_of("meaning", found[:1] if clear else found)


def _search_nearest(world: World, request: Request, text: str) -> tuple[Rows, Sequence[float]]:
    """Return index rows and scores of the ten memories nearest to a text, best first; by meaning, only of those alike
    enough."""
    at = Admission(epoch_ms(request.at), granted=EVERY_SCOPE)
    encoding, _ = encode(text, world)
    if encoding is not None:
        hits = world.reader.vector(encoding.vector, at, SHOWN, SHOWN)
    else:
        stems = dict.fromkeys(term.stem for term in world.reader.survey(text).terms)
        hits = world.reader.lexical(list(stems), at, SHOWN, SHOWN)
    rows, scores = np.r_[hits.rows, hits.open_rows], np.r_[hits.scores, hits.open_scores]
    best = np.argsort(-scores, kind="stable")[:SHOWN]
    best = best[scores[best] >= _ALIKE] if encoding is not None else best
    return rows[best], scores[best].tolist()


def _target_of(matched: Matched, found: Sequence[Served]) -> Target:
    """Make the target of these memories, matched as said; the first `SHOWN` become its candidates."""
    return Target(matched, tuple(found[:SHOWN]), len(found))
