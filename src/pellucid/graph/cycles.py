"""Directed pairs in, their circles out: one for every set of nodes that all lead to each other."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence


def cycles(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """For each strongly connected set of two or more nodes one shortest cycle through its least node, sorted.

    Each cycle names its first node once, and a pair of a node with itself counts for none. Without recursion; linear
    but for the search of the cycle itself.
    """
    ahead: dict[str, set[str]] = defaultdict(set)
    for source, target in pairs:
        if source != target:
            ahead[source].add(target)
    after = {node: sorted(targets) for node, targets in ahead.items()}
    found = [_shortest_cycle(min(group), group, after) for group in _strong_components(after) if len(group) > 1]
    return sorted(found)


def _strong_components(after: Mapping[str, Sequence[str]]) -> list[set[str]]:
    """The strongly connected sets of nodes (Kosaraju's algorithm); `after` has the targets of each node."""
    before: dict[str, list[str]] = defaultdict(list)
    for source, targets in after.items():
        for target in targets:
            before[target].append(source)
    seen: set[str] = set()
    order = [node for start in sorted(after) for node in _nodes_by_finish(start, after, seen)]
    done: set[str] = set()
    return [set(_nodes_by_finish(node, before, done)) for node in reversed(order) if node not in done]


def _nodes_by_finish(start: str, after: Mapping[str, Sequence[str]], seen: set[str]) -> list[str]:
    """The unseen nodes reachable from `start` in depth-first finishing order; adds them to `seen`."""
    if start in seen:
        return []
    seen.add(start)
    out: list[str] = []
    path = [(start, iter(after.get(start, ())))]
    while path:
        node, rest = path[-1]
        ahead = next((each for each in rest if each not in seen), None)
        if ahead is None:
            out.append(node)
            path.pop()
        else:
            seen.add(ahead)
            path.append((ahead, iter(after.get(ahead, ()))))
    return out


def _shortest_cycle(start: str, group: set[str], after: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A shortest cycle from `start` through `group`, `start` named once; `(start,)` where there is none."""
    came: dict[str, str] = {start: start}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for target in after.get(node, ()):
            if target == start:
                path = [node]
                while path[-1] != start:
                    path.append(came[path[-1]])
                return tuple(reversed(path))
            if target in group and target not in came:
                came[target] = node
                queue.append(target)
    return (start,)
