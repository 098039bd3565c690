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
_ID = re.compile(r"mem_[0-9a-f]{32}")
_PREFIX = re.compile(r"(?:mem_)?([0-9a-f]{8,32})")
_NEXT = f"`pellucid list` shows ids; {field_name('namespace')} names another place"


@dataclass(frozen=True, slots=True)
class Target:
    """The memory that is meant, and how it was told; or none, and the candidates, of `total`."""

    matched: Matched
    candidates: tuple[Served, ...]
    total: int

    @property
    def held(self) -> Served | None:
        """The memory, if it is one."""
        return self.candidates[0] if self.total == 1 else None


def resolve(app: App, request: Request, text: str) -> Target:
    """What a text names in the namespace of a request: an id, the beginning or the last ten digits of one, a path;
    else the memory that says just that, those that hold these words, or the nearest by meaning.

    Raises:
        InputError: there is no text.
        NotFoundError: nothing here has that id, or is like these words: a foreign id is as unknown as any other.
    """
    said = text.strip()
    if not said:
        raise InputError("<memory> is required: an id, or words of it", code="missing_memory")
    return named(app, request.namespace, said) or _nearest(app, request, said)


def named(app: App, namespace: str, text: str) -> Target | None:
    """What a text names, or who says just that; None where nobody does.

    Raises:
        NotFoundError: it is an id, and nothing here has it.
    """
    return _by_id(app, namespace, text) or _by_words(app, namespace, text)


def _by_id(app: App, namespace: str, text: str) -> Target | None:
    """The memory of an id, of its beginning or end, or of a path; None where the text is none of these."""
    if exact := app.index.memories(namespace, [text]):
        return Target("id", tuple(exact), 1)
    named = _PREFIX.fullmatch(text)
    if named is None and "/" not in text and not text.startswith("mem_"):
        return None
    digits = named[1] if named else ""
    found = [
        each
        for each in app.index.memories(namespace)
        if each.path == text or (digits and (each.memory.id[4:].startswith(digits) or each.memory.id[-10:] == digits))
    ]
    if found:
        return _target("prefix", found)
    if text.startswith("mem_") or len(digits) == 32:
        raise NotFoundError(f"no memory {text} in {namespace}", next_step=_NEXT)
    return None


def _by_words(app: App, namespace: str, text: str) -> Target | None:
    """Who says just this, else who holds it, a memory before the passages it stands for."""
    same = app.index.holding(namespace, [content_hash(text)])
    if same:
        return _target(
            "content", app.index.memories(namespace, [each for held in same.values() for each in held.values()])
        )
    wanted = text.casefold()
    holding = [each for each in app.index.memories(namespace) if wanted in each.memory.content.casefold()]
    whole = [each for each in holding if normalise(each.memory.content) == normalise(text)]
    if whole:
        return _target("content", whole)
    own = [each for each in holding if each.memory.category != "moment"] or holding
    return _target("words", own) if own else None


def _nearest(app: App, request: Request, text: str) -> Target:
    """The nearest by meaning, whatever its state; by words where there is no encoder."""
    with app.recaller.world(request, app.deadline) as world:
        rows, scores = _near_rows(world, request, text)
        found = world.reader.memories(rows)
    if not found:
        raise NotFoundError(f'nothing in {request.namespace} is like "{text}"', next_step=_NEXT)
    clear = len(found) == 1 or (scores[0] >= _NEAR and scores[0] - scores[1] >= _LEAD)
    return _target("meaning", found[:1] if clear else found)


def _near_rows(world: World, request: Request, text: str) -> tuple[Rows, Sequence[float]]:
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


def _target(matched: Matched, found: Sequence[Served]) -> Target:
    return Target(matched, tuple(found[:SHOWN]), len(found))
