"""Items in, batches of neighbouring items out, each of a limited size: what fits into one question or one statement."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def batches(
    items: Iterable[Item], size_of: Callable[[Item], int], max_size: int, max_count: int = sys.maxsize
) -> Iterator[list[Item]]:
    """Yield the items in order, in batches of at most `max_count` items whose sizes sum to at most `max_size`.

    A larger item is a batch by itself. No batch is empty.
    """
    batch: list[Item] = []
    room = max_size
    for item in items:
        size = size_of(item)
        if batch and (size > room or len(batch) == max_count):
            yield batch
            batch, room = [], max_size
        batch.append(item)
        room -= size
    if batch:
        yield batch
