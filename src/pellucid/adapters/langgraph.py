# pyright: basic, reportMissingImports=false
# the framework is not installed where types are checked
"""An opened home in, a store for LangGraph out: an item is a memory about its key, a later one supersedes it."""

import json
from asyncio import to_thread
from collections.abc import Iterable, Mapping
from typing import Any, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from pellucid.facade import Pellucid
from pellucid.model.memory import Memory

_TAG = "langgraph"
_TEXT = "text"
_MOST = 1000
_LONGEST_NAME = 200


class MemoryStore(BaseStore):
    """Items of LangGraph as memories: `graph.compile(store=MemoryStore(memory))`.

    A value `{"text": …}` is a memory of those words, any other one of its JSON. Secrets are taken out before anything
    is kept, and an item that is put again has its history. Search is a recall; without a query, a list.
    """

    def __init__(self, memory: Pellucid) -> None:
        """Use an opened home; whoever opened it closes it."""
        self._memory = memory

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked, in order."""
        return [self._result_of(each) for each in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked, in order, in another thread."""
        return await to_thread(self.batch, list(ops))

    def _result_of(self, op: Op) -> Result:
        match op:
            case GetOp():
                return _item(found) if (found := self._held(op.namespace, op.key)) else None
            case PutOp():
                return self._put(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        raise ValueError(f"no operation of a store: {op!r}")

    def _held(self, namespace: tuple[str, ...], key: str) -> Memory | None:
        found = self._memory.list(entity_ref=_name(namespace, key), tag=_TAG, limit=1).memories
        return found[0].memory if found else None

    def _put(self, op: PutOp) -> None:
        held = self._held(op.namespace, op.key)
        if op.value is None:
            if held:
                self._memory.edit.archive(held.id, "deleted-from-store")
            return
        said = _said(op.value)
        if held and held.content == said:
            return
        attributes = {"item": said[:_LONGEST_NAME]}
        kept = self._memory.remember(said, entity_ref=_name(op.namespace, op.key), tags=(_TAG,), attributes=attributes)
        if held and held.id not in (kept.memory.id, *kept.replaced):
            self._memory.edit.archive(held.id, "put-again")

    def _search(self, op: SearchOp) -> list[SearchItem]:
        if op.query:
            found = self._memory.recall(op.query, top_k=_MOST, tags=(_TAG,), settings={"abstainAt": 1})
            ranked = [(each.memory, each.final) for each in found.memories]
        else:
            ranked = [(each.memory, None) for each in self._memory.list(tag=_TAG, limit=_MOST).memories]
        items = [_item(memory, score) for memory, score in ranked]
        fits = [each for each in items if _fits(each, op)]
        return fits[op.offset : op.offset + op.limit]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        held = self._memory.list(tag=_TAG, limit=_MOST).memories
        names = {_item(each.memory).namespace[: op.max_depth] for each in held}
        fits = [each for each in names if all(_matches(each, one) for one in op.match_conditions or ())]
        return sorted(fits)[op.offset : op.offset + op.limit]


def _name(namespace: tuple[str, ...], key: str) -> str:
    return json.dumps([*namespace, key], ensure_ascii=False)


def _said(value: Mapping[str, Any]) -> str:
    alone = value.get(_TEXT) if set(value) == {_TEXT} else None
    return alone if isinstance(alone, str) and alone.strip() else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _item(memory: Memory, score: float | None = None) -> SearchItem:
    *namespace, key = cast("list[str]", json.loads(memory.entity_ref or "[]"))
    try:
        value: object = json.loads(memory.content)
    except ValueError:
        value = None
    table = cast("dict[str, Any]", value) if isinstance(value, dict) else {_TEXT: memory.content}
    return SearchItem(tuple(namespace), key, table, memory.created, memory.updated, score)


def _fits(item: SearchItem, op: SearchOp) -> bool:
    within = item.namespace[: len(op.namespace_prefix)] == op.namespace_prefix
    return within and all(item.value.get(name) == value for name, value in (op.filter or {}).items())


def _matches(namespace: tuple[str, ...], condition: Any) -> bool:
    wanted = condition.path
    part = namespace[: len(wanted)] if condition.match_type == "prefix" else namespace[-len(wanted) :]
    return len(part) == len(wanted) and all(one in ("*", other) for one, other in zip(wanted, part, strict=True))
