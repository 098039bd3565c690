"""The port of the registry of projects: a root in, its namespace out, the same for as long as there is a vault."""

from collections.abc import Callable
from typing import Protocol

from pellucid.model.project import ProjectRegistry


class Registry(Protocol):
    """Which root has which namespace. Part of the record: no rebuild makes it anew."""

    def known(self) -> ProjectRegistry:
        """All roots that are known.

        Raises:
            StoreError: it is there, and cannot be read: nobody may be taken for somebody else meanwhile.
        """
        ...

    def change(self, how: Callable[[ProjectRegistry], ProjectRegistry]) -> ProjectRegistry:
        """Put what `how` makes of it in its place, one process at a time; on the disk when this returns.

        Raises:
            StoreError: it cannot be read or written; nothing has changed.
        """
        ...
