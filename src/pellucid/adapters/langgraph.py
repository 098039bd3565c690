# pyright: basic, reportMissingImports=false
# the framework is not installed where types are checked
"""An opened home in, a store for LangGraph out: an item is a memory about its key, a later value supersedes it."""

import json
from asyncio import to_thread
from collections.abc import Iterable, Mapping
from typing import Any, cast

from langgraph.store.base import BaseStore, GetOp, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp

from pellucid.facade import Pellucid
from pellucid.model.memory import Memory

_TAG = "langgraph"
_TEXT = "text"
_MOST = 1000
_ROOM = 1_000_000_000
"""Characters: more than so many memories have."""
_LONGEST_NAME = 200


class MemoryStore(BaseStore):
    """A LangGraph store whose items are memories: `graph.compile(store=MemoryStore(memory))`.

    A value `{"text": …}` becomes a memory of that text, any other value a memory of its JSON; secrets are redacted. An
    item that is put again keeps its history. A search without a query lists all items.
    """

    def __init__(self, memory: Pellucid) -> None:
        """Use an opened home; whoever opened it closes it."""
        self._memory = memory

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the operations in order, and return one result for each: the item or None for a get, None for a put, a
        page of items for a search, a page of namespaces for a listing.

        A put with the value None archives the item. `index` and `ttl` of an operation are ignored. Raises ValueError
        for an operation of another kind, TypeError for a value that JSON cannot express, and what `Pellucid` raises,
        such as `InputError` for a value of more than 20,000 characters; the operations before it have been done.
        """
        return [self._run(each) for each in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run `batch` in another thread, and return its results."""
        return await to_thread(self.batch, list(ops))

    def _run(self, op: Op) -> Result:
        """Run one operation, and return its result (see `batch`); ValueError if it is none of get, put, search and
        listing.
        """
        match op:
            case GetOp():
                return _item(found) if (found := self._find_memory(op.namespace, op.key)) else None
            case PutOp():
                return self._put(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._list_namespaces(op)
        raise ValueError(f"no operation of a store: {op!r}")

    def _find_memory(self, namespace: tuple[str, ...], key: str) -> Memory | None:
        """Return the newest active memory that stores the item with this namespace and key; None if there is no such
        item.
        """
        found = self._memory.list(entity_ref=_entity_name(namespace, key), tag=_TAG, limit=1).memories
        return found[0].memory if found else None

    def _put(self, op: PutOp) -> None:
        """Store an item's value as a new memory under its namespace and key. Then archive the memory of its former
        value, unless the new memory has superseded that already.

        Do nothing if the value is unchanged. If the value is None, only archive the item's memory, if there is one.
        """
        old = self._find_memory(op.namespace, op.key)
        if op.value is None:
            if old:
                self._memory.edit.archive(old.id, "deleted-from-store")
            return
        text = _memory_content(op.value)
        if old and old.content == text:
            return
        attributes = {"item": text[:_LONGEST_NAME]}
        new = self._memory.remember(
            text, entity_ref=_entity_name(op.namespace, op.key), tags=(_TAG,), attributes=attributes
        )
        if old and old.id not in (new.memory.id, *new.replaced):
            self._memory.edit.archive(old.id, "put-again")

    def _search(self, op: SearchOp) -> list[SearchItem]:
        """Return one page (`op.offset`, `op.limit`) of the items in and below the searched namespace whose values pass
        the filter.

        Only the 1000 items of all namespaces that are best for the query are looked at, best first; without a query,
        the newest 1000, newest first, with the score None.
        """
        if op.query:
            # what fits a model's context is no limit here: a store's caller filters and pages
            options = {"abstainAt": 1}
            answer = self._memory.recall(op.query, top_k=_MOST, budget=_ROOM, tags=(_TAG,), settings=options)
            ranked = [(each.memory, each.final) for each in answer.memories]
        else:
            ranked = [(each.memory, None) for each in self._memory.list(tag=_TAG, limit=_MOST).memories]
        items = [_item(memory, score) for memory, score in ranked]
        passing = [each for each in items if each and _passes_filters(each, op)]
        return passing[op.offset : op.offset + op.limit]

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        """Return one page (`op.offset`, `op.limit`) of the item namespaces that meet all of `op.match_conditions`,
        sorted.

        Each is cut to its first `op.max_depth` parts (None: not cut) and returned once. Only the newest 1000 items are
        looked at.
        """
        items = [_item(each.memory) for each in self._memory.list(tag=_TAG, limit=_MOST).memories]
        names = {each.namespace for each in items if each}
        matching = [
            each
            for each in names
            if all(_matches_condition(each, condition) for condition in op.match_conditions or ())
        ]
        return sorted({each[: op.max_depth] for each in matching})[op.offset : op.offset + op.limit]


def _entity_name(namespace: tuple[str, ...], key: str) -> str:
    """Return the entity name of an item's memory: the item's namespace and key as a JSON list."""
    return json.dumps([*namespace, key], ensure_ascii=False)


def _memory_content(value: Mapping[str, Any]) -> str:
    """Return the content of the memory for an item's value: of a value `{"text": …}` with no other key the text, if
    that is not blank and no JSON object itself; of any other the value as JSON, its keys sorted. TypeError if JSON
    cannot express it.
    """
    alone = value.get(_TEXT) if set(value) == {_TEXT} else None
    is_plain = isinstance(alone, str) and bool(alone.strip()) and _object_in(alone) is None
    return str(alone) if is_plain else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _object_in(content: str) -> dict[str, Any] | None:
    """Return the JSON object that a memory's content is; None if it is anything else."""
    parsed = _json_in(content)
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else None


def _json_in(text: str) -> object:
    """Return the value that a JSON text stands for; None if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _item(memory: Memory, score: float | None = None) -> SearchItem | None:
    """Return a memory as the store's item; its value is the JSON object of the content, else `{"text": content}`.

    Namespace and key are read from the memory's entity name (see `_entity_name`); None if that is no such list, as of a
    memory that has the store's tag from elsewhere. `score` is the memory's final score in the recall, None if there was
    no query.
    """
    names = _json_in(memory.entity_ref or "")
    if not isinstance(names, list) or not names or not all(isinstance(each, str) for each in names):
        return None
    *namespace, key = cast("list[str]", names)
    kept = _object_in(memory.content)
    value = {_TEXT: memory.content} if kept is None else kept
    return SearchItem(tuple(namespace), key, value, memory.created, memory.updated, score)


def _passes_filters(item: SearchItem, op: SearchOp) -> bool:
    """Whether an item's namespace begins with the search's prefix, and its value equals the filter's at every key of
    the filter; a missing key equals None. Operators such as `$gt` are not known.
    """
    within = item.namespace[: len(op.namespace_prefix)] == op.namespace_prefix
    return within and all(item.value.get(name) == value for name, value in (op.filter or {}).items())


def _matches_condition(namespace: tuple[str, ...], condition: Any) -> bool:
    """Whether a namespace begins (if `condition.match_type` is `prefix`) or ends (for any other type) with
    `condition.path`, compared part by part. False if the path is longer than the namespace.

    `*` in the path stands for any one part.
    """
    path = condition.path
    part = (
        namespace[: len(path)] if condition.match_type == "prefix" else namespace[max(len(namespace) - len(path), 0) :]
    )
    return len(part) == len(path) and all(one in ("*", other) for one, other in zip(path, part, strict=True))
