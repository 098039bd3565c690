"""An id or a few words in, the one memory that is meant out, or the memories that it could be."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import InputError, NotFoundError, field_name, step
from pellucid.language.spelling import content_hash, normalise
from pellucid.recall.query.plan import encode
from pellucid.recall.state import Request, World
from pellucid.store.index_port import EVERY_SCOPE, Admission, Rows, Served

Matched = Literal["id", "prefix", "content", "words", "meaning", "verdict", "question"]
SHOWN = 10
"""The maximum number of candidates shown."""
_ALIKE, _NEAR, _LEAD = 0.35, 0.6, 0.05
"""Cosines: from `_ALIKE` on a memory resembles some words; from `_NEAR` on, if it leads by `_LEAD`, the nearest memory
is the one that is meant."""
_PREFIX = re.compile(r"(?:mem_)?([0-9a-f]{8,32})")


@dataclass(frozen=True, slots=True)
class Target:
    """The memories that a text can mean: the first of `total` candidates, and how they were matched."""

    matched: Matched
    candidates: tuple[Served, ...]
    total: int

    @property
    def single(self) -> Served | None:
        """Return the memory that is meant; None if several memories can be meant."""
        return self.candidates[0] if self.total == 1 else None


def _next_step() -> str:
    """Return the advice of a NotFoundError for a memory: list the ids, or name another namespace."""
    return f"{step('memory.list')} shows ids; {field_name('namespace')} names another place"


def find_target(app: App, request: Request, text: str) -> Target:
    """Find the memories of the request's namespace that a text can mean: by id (or its first eight or more hexadecimal
    digits, or last ten) or path, else by content, else by a part of the content, else by meaning (`_find_nearest`).

    InputError if the text is empty. NotFoundError if the text can only be an id, and no memory has it, or if no memory
    resembles its words."""
    text = text.strip()
    if not text:
        raise InputError("<memory> is required: an id, or words of it", code="missing_memory")
    return find_by_name(app, request.namespace, text) or _find_nearest(app, request, text)


def find_by_name(app: App, namespace: str, text: str) -> Target | None:
    """Find the memories that a text names by id or path (`_find_by_id`), else those whose content is or contains the
    text; None if there are none. NotFoundError for a text that can only be an id and that no memory has."""
    return _find_by_id(app, namespace, text) or _find_by_words(app, namespace, text)


def _find_by_id(app: App, namespace: str, text: str) -> Target | None:
    """Find the memory with this id, else those with this path, or with an id that begins with these eight or more
    hexadecimal digits (`mem_` before them or not), or ends with these ten; None if there are none. NotFoundError for a
    text that can only be an id (it begins with `mem_` or is 32 hexadecimal digits) and that no memory has."""
    if exact := app.index.memories(namespace, [text]):
        return Target("id", tuple(exact), 1)
    prefix = _PREFIX.fullmatch(text)
    if prefix is None and "/" not in text and not text.startswith("mem_"):
        return None
    digits = prefix[1] if prefix else ""
    found = [
        each
        for each in app.index.memories(namespace)
        if each.path == text or (digits and (each.memory.id[4:].startswith(digits) or each.memory.id[-10:] == digits))
    ]
    if found:
        return _target_of("prefix", found)
    if text.startswith("mem_") or len(digits) == 32:
        raise NotFoundError(f"no memory {text} in {namespace}", next_step=_next_step())
    return None


def _find_by_words(app: App, namespace: str, text: str) -> Target | None:
    """Find the memories whose content equals the text in normal form (`normalise`: capitals and most punctuation do not
    count), only those in force if any is; else those that contain the text in any case (passages only if no other
    memory does); None if there are none."""
    same = app.index.holding(namespace, [content_hash(text)])
    if same:
        ids = [memory_id for by_path in same.values() for memory_id in by_path.values()]
        return _target_of("content", app.index.memories(namespace, ids))
    folded = text.casefold()
    containing = [each for each in app.index.memories(namespace) if folded in each.memory.content.casefold()]
    equal = [each for each in containing if normalise(each.memory.content) == normalise(text)]
    if equal:
        return _target_of("content", equal)
    found = [each for each in containing if each.memory.category != "moment"] or containing
    return _target_of("words", found) if found else None


def _find_nearest(app: App, request: Request, text: str) -> Target:
    """Find the memories nearest to a text by meaning (by shared words if there is no encoder), whatever their state: up
    to ten, but only the first if its cosine is at least 0.6 (`_NEAR`) and leads that of the second by at least 0.05
    (`_LEAD`). NotFoundError if there is none."""
    with app.recaller.world(request, app.deadline) as world:
        rows, cosines = _search_nearest(world, request, text)
        found = world.reader.memories(rows)
    if not found:
        raise NotFoundError(f'nothing in {request.namespace} is like "{text}"', next_step=_next_step())
    clear = len(found) == 1 or (bool(cosines) and cosines[0] >= _NEAR and cosines[0] - cosines[1] >= _LEAD)
    return _target_of("meaning", found[:1] if clear else found)


def _search_nearest(world: World, request: Request, text: str) -> tuple[Rows, Sequence[float]]:
    """Return the index rows of up to ten memories nearest to a text, best first, and their cosines; those with a cosine
    below 0.35 (`_ALIKE`) are left out. Without an encoder, the nearest by shared words (BM25), and no cosines."""
    admission = Admission(epoch_ms(request.at), granted=EVERY_SCOPE)
    encoding, _ = encode(text, world)
    if encoding is not None:
        hits = world.reader.vector(encoding.vector, admission, SHOWN, SHOWN)
    else:
        stems = dict.fromkeys(term.stem for term in world.reader.survey(text).terms)
        hits = world.reader.lexical(list(stems), admission, SHOWN, SHOWN)
    rows, scores = np.r_[hits.rows, hits.open_rows], np.r_[hits.scores, hits.open_scores]
    best = np.argsort(-scores, kind="stable")[:SHOWN]
    best = best[scores[best] >= _ALIKE] if encoding is not None else best
    return rows[best], scores[best].tolist() if encoding is not None else ()


def _target_of(matched: Matched, found: Sequence[Served]) -> Target:
    """Make the target of all memories that were found, of which the first ten (`SHOWN`) become its candidates;
    `matched` is how they were found."""
    return Target(matched, tuple(found[:SHOWN]), len(found))
