"""The question of a recall in, the only words of its receipt out: apart from it, so that they can be erased."""

import json
from collections.abc import Iterable
from typing import Any

from pellucid.recall.state import Request


def place_of_word(request: Request, word: str) -> tuple[int, int]:
    """The start and the length of a word in the query; (0, 0) if the query is not to be stored, or lacks it."""
    kept = request.settings.store_query_text and word in request.query
    return (request.query.index(word), len(word)) if kept else (0, 0)


def query_bytes(request: Request) -> bytes:
    """The last part of a request's receipt: its query and the words of its filters; empty if they are not to be stored.

    No other part holds words, so that these can be erased. After the query, if there is more, a NUL and a JSON list.
    """
    if not request.settings.store_query_text:
        return b""
    filters = request.filters
    named = [filters.tags, filters.categories, filters.agent, filters.session_id, request.review, filters.not_session]
    beside = f"\0{json.dumps(named, ensure_ascii=False)}" if any(named) or "\0" in request.query else ""
    return f"{request.query}{beside}".encode("utf-8", "surrogatepass")


def split_query(text: str) -> tuple[str, list[Any]]:
    """The query, and the words of filters and review behind it: `query_bytes` undone."""
    query, nul, named = text.rpartition("\0")
    nothing: list[Any] = [(), (), None, None, (), None]
    try:
        beside: Any = json.loads(named) if nul else None
        _, _, _, _, _, *since = beside
    except (ValueError, TypeError):
        return text, nothing
    return query, [*beside, *nothing[5 + len(since) :]]


def query_of(words: bytes) -> str:
    """The query alone, from the bytes that `query_bytes` made."""
    return split_query(words.decode("utf-8", "surrogatepass"))[0]


def spelled(query: str, places: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """The words of the query at these places, each a start and a length."""
    return tuple(query[start : start + length] for start, length in places)
