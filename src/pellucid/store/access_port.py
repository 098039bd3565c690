"""The port of the list of those who may ask: a change in, the list as it then stands out."""

from collections.abc import Callable
from typing import Protocol

from pellucid.model.access import AccessList


class AccessStore(Protocol):
    """Who may ask a home that is served."""

    def known(self) -> AccessList:
        """Everybody; read again only where it was changed since.

        Raises:
            StoreError: it is there, and cannot be read: nobody may ask meanwhile.
        """
        ...

    def change(self, how: Callable[[AccessList], AccessList]) -> AccessList:
        """Put what `how` makes of it in its place, one process at a time; on the disk when this returns.

        Raises:
            StoreError: it cannot be read or written; nothing has changed.
        """
        ...
