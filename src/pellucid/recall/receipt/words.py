"""The question of a recall in, the only words of its receipt out: stored apart, so that they can be erased."""

import json
from collections.abc import Iterable
from typing import Any

from pellucid.recall.state import Request


def place_of_word(request: Request, word: str) -> tuple[int, int]:
    """Return the start and the length of the first place of a word in the query, in characters.

    (0, 0) if the query is not to be stored, or lacks the word.
    """
    is_there = request.settings.store_query_text and word in request.query
    return (request.query.index(word), len(word)) if is_there else (0, 0)


def query_bytes(request: Request) -> bytes:
    """Return the last part of a request's receipt: its query and the words of its filters; empty if not to be stored.

    Only this part contains words, so that they can be erased. The words of filters, if there are any (or if the query
    has a NUL itself), follow the query as a NUL and a JSON list.
    """
    if not request.settings.store_query_text:
        return b""
    filters = request.filters
    extra = [filters.tags, filters.categories, filters.agent, filters.session_id, request.review, filters.not_session]
    suffix = f"\0{json.dumps(extra, ensure_ascii=False)}" if any(extra) or "\0" in request.query else ""
    return f"{request.query}{suffix}".encode("utf-8", "surrogatepass")


def split_query(text: str) -> tuple[str, list[Any]]:
    """Undo `query_bytes`, given its bytes as text: return the query, and the words of filters and review after it.

    These are always six: tags, categories, agent, session id, files under review, session left out; empty or None
    where there are none.
    """
    query, nul, packed_words = text.rpartition("\0")
    nothing: list[Any] = [(), (), None, None, (), None]
    try:
        filter_words: Any = json.loads(packed_words) if nul else None
        _, _, _, _, _, *since = filter_words
    except (ValueError, TypeError):
        return text, nothing
    return query, [*filter_words, *nothing[5 + len(since) :]]


def query_of(words: bytes) -> str:
    """Return the query alone, without the words of filters, from the bytes that `query_bytes` made; empty if it was not
    stored."""
    return split_query(words.decode("utf-8", "surrogatepass"))[0]


def spelled(query: str, places: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """Return the words of the query at these places, in their order, each place a start and a length; empty for
    (0, 0)."""
    return tuple(query[start : start + length] for start, length in places)
