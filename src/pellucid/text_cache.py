"""A function of a text in, the same function with its latest results kept out; all of them can be dropped at once.

Nothing else keeps a user's words in a process's memory beyond the call that read them, so `forget` can drop them.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar
from weakref import WeakSet

P = ParamSpec("P")
R = TypeVar("R")

_caches: WeakSet[Any] = WeakSet()


def text_cache(max_results: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function of texts so that its `max_results` most recently used results are kept in memory, until
    `drop_cached_texts` is called. Arguments must be hashable; all callers get the same result object.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        """Return `function` with a cache of its own for `max_results` results, which `drop_cached_texts` empties."""
        cached = lru_cache(maxsize=max_results)(function)
        _caches.add(cached)
        return cached  # pyright: ignore[reportReturnType]  # it takes what the function takes

    return decorate


def drop_cached_texts() -> None:
    """Empty every cache made by `text_cache` in this process, and the `re` module's cache of compiled patterns, since
    some patterns are made of words. Other processes keep theirs.
    """
    for cached in list(_caches):
        cached.cache_clear()
    re.purge()
