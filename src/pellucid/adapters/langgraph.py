# pyright: basic, reportMissingImports=false
# the framework is not installed where types are checked
"""An opened home in, a store for LangGraph out: an item is a memory about its key, a later one supersedes it."""

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
_LONGEST_NAME = 200


class MemoryStore(BaseStore):
    """A LangGraph store whose items are memories: `graph.compile(store=MemoryStore(memory))`.

    A value `{"text": …}` is a memory of those words, any other value one of its JSON, with secrets redacted. An item
    that is put again has its history. A search without a query lists all items.
    """

    def __init__(self, memory: Pellucid) -> None:
        """Use an opened home; whoever opened it closes it."""
        self._memory = memory

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the operations in order, and return one result for each."""
        return [self._result_of(each) for each in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run `batch` in another thread."""
        return await to_thread(self.batch, list(ops))

    def _result_of(self, op: Op) -> Result:
        """Run one operation, and return its result."""
        match op:
            case GetOp():
                return _item(found) if (found := self._find_memory(op.namespace, op.key)) else None
            case PutOp():
                return self._put(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        raise ValueError(f"no operation of a store: {op!r}")

    def _find_memory(self, namespace: tuple[str, ...], key: str) -> Memory | None:
        """The memory that holds the item of this key; None if there is no such item."""
        found = self._memory.list(entity_ref=_name(namespace, key), tag=_TAG, limit=1).memories
        return found[0].memory if found else None

    def _put(self, op: PutOp) -> None:
        """Store an item or replace its value; where the value is None, archive its memory, if there is one. An
        unchanged value is left alone."""
        old = self._find_memory(op.namespace, op.key)
        if op.value is None:
            if old:
                self._memory.edit.archive(old.id, "deleted-from-store")
            return
        text = _content_of(op.value)
        if old and old.content == text:
            return
        attributes = {"item": text[:_LONGEST_NAME]}
        new = self._memory.remember(text, entity_ref=_name(op.namespace, op.key), tags=(_TAG,), attributes=attributes)
        if old and old.id not in (new.memory.id, *new.replaced):
            self._memory.edit.archive(old.id, "put-again")

    def _search(self, op: SearchOp) -> list[SearchItem]:
        """The requested page of the items that a query recalls (any relevance), or of all without one, that pass the
        filters. At most 1000 are looked at."""
        if op.query:
            found = self._memory.recall(op.query, top_k=_MOST, tags=(_TAG,), settings={"abstainAt": 1})
            ranked = [(each.memory, each.final) for each in found.memories]
        else:
            ranked = [(each.memory, None) for each in self._memory.list(tag=_TAG, limit=_MOST).memories]
        items = [_item(memory, score) for memory, score in ranked]
        fits = [each for each in items if _passes_filters(each, op)]
        return fits[op.offset : op.offset + op.limit]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        """The requested page of the namespaces that match all conditions, each then cut to `max_depth` and given once;
        sorted, of 1000 items at most."""
        items = self._memory.list(tag=_TAG, limit=_MOST).memories
        names = {_item(each.memory).namespace for each in items}
        fits = [each for each in names if all(_matches_condition(each, one) for one in op.match_conditions or ())]
        return sorted({each[: op.max_depth] for each in fits})[op.offset : op.offset + op.limit]


def _name(namespace: tuple[str, ...], key: str) -> str:
    """The entity name under which an item's memory is kept: its namespace and key as a JSON list."""
    return json.dumps([*namespace, key], ensure_ascii=False)


def _content_of(value: Mapping[str, Any]) -> str:
    """The content of the memory for an item's value: the text of `{"text": …}` if it is not blank, else the value as
    JSON."""
    alone = value.get(_TEXT) if set(value) == {_TEXT} else None
    return alone if isinstance(alone, str) and alone.strip() else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _item(memory: Memory, score: float | None = None) -> SearchItem:
    """A memory as the store's item: the JSON object of its content, else `{"text": content}`. `score` is None without a
    query."""
    *namespace, key = cast("list[str]", json.loads(memory.entity_ref or "[]"))
    try:
        parsed: object = json.loads(memory.content)
    except ValueError:
        parsed = None
    value = cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {_TEXT: memory.content}
    return SearchItem(tuple(namespace), key, value, memory.created, memory.updated, score)


def _passes_filters(item: SearchItem, op: SearchOp) -> bool:
    """Whether an item is below the namespace prefix of a search, and its value equals what the search filters for."""
    within = item.namespace[: len(op.namespace_prefix)] == op.namespace_prefix
    return within and all(item.value.get(name) == value for name, value in (op.filter or {}).items())


def _matches_condition(namespace: tuple[str, ...], condition: Any) -> bool:
    """Whether a namespace begins (match type `prefix`) or else ends with the condition's path, `*` standing for any
    part."""
    wanted = condition.path
    part = namespace[: len(wanted)] if condition.match_type == "prefix" else namespace[-len(wanted) :]
    return len(part) == len(wanted) and all(one in ("*", other) for one, other in zip(wanted, part, strict=True))
