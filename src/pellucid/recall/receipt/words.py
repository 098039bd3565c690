"""The question of a recall in, the only words of its receipt out: apart from it, so that they can be erased."""

import json
from collections.abc import Iterable
from typing import Any

from pellucid.recall.state import Request


def place_of_word(request: Request, word: str) -> tuple[int, int]:
    """Where a word stands in the query, and its length; zeros if the query is withheld."""
    kept = request.settings.store_query_text and word in request.query
    return (request.query.index(word), len(word)) if kept else (0, 0)


def query_bytes(request: Request) -> bytes:
    """The end of the receipt of a request: its query, and what else it says in words; nothing where that is withheld.

    Words stand here and nowhere else, so that they can be erased: after the query a NUL, and what filters and a review
    name, as JSON. Nothing stands behind a query without a NUL where nothing is named.
    """
    if not request.settings.store_query_text:
        return b""
    filters = request.filters
    named = [filters.tags, filters.categories, filters.agent, filters.session_id, request.review, filters.not_session]
    beside = f"\0{json.dumps(named, ensure_ascii=False)}" if any(named) or "\0" in request.query else ""
    return f"{request.query}{beside}".encode("utf-8", "surrogatepass")


def split_query(said: str) -> tuple[str, list[Any]]:
    """The query, and the words of filters and review behind it, from a receipt's text; `query_bytes` undone."""
    query, nul, named = said.rpartition("\0")
    nothing: list[Any] = [(), (), None, None, (), None]
    try:
        beside: Any = json.loads(named) if nul else None
        _, _, _, _, _, *since = beside
    except (ValueError, TypeError):
        return said, nothing
    return query, [*beside, *nothing[5 + len(since) :]]


def query_of(said: bytes) -> str:
    """The query alone of what history keeps of a recall's words."""
    return split_query(said.decode("utf-8", "surrogatepass"))[0]


def spelled(query: str, places: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    return tuple(query[start : start + length] for start, length in places)
