"""The port of the registry of projects: a root in, its namespace out, the same for as long as there is a vault."""

from collections.abc import Callable
from typing import Protocol

from pellucid.model.project import ProjectRegistry


class Registry(Protocol):
    """Which project root folder has which namespace. Part of the record: it cannot be rebuilt from other files."""

    def known(self) -> ProjectRegistry:
        """Return all registered roots with their namespaces. Raises StoreError if the registry is unreadable."""
        ...

    def change(self, update: Callable[[ProjectRegistry], ProjectRegistry]) -> ProjectRegistry:
        """Replace the registry by `update(registry)` under a lock and return it; raise StoreError if that fails."""
        ...
