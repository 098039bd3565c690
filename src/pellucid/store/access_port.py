"""The port of the list of those who may ask: a change in, the list as it then stands out."""

from collections.abc import Callable
from typing import Protocol

from pellucid.model.access import AccessList


class AccessStore(Protocol):
    """The list of principals who may use a home that is served, with their tokens."""

    def known(self) -> AccessList:
        """Return the access list; it is read again only if it changed. Raises StoreError if unreadable."""
        ...

    def change(self, update: Callable[[AccessList], AccessList]) -> AccessList:
        """Replace the list by `update(list)` under a lock and return it, on disk by then; raise StoreError if that
        fails.
        """
        ...
