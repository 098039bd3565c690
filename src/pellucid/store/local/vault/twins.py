"""A new path in, the existing name out that some file systems would take for the same: case and composition ignored."""

from pellucid.store.local.vault.files import Vault
from pellucid.store.local.vault.paths import folded, parts


class Twins:
    """Looks up the folders of a vault, each once; valid as long as the vault does not change."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._folders: dict[tuple[str, ...], dict[str, set[str]]] = {}

    def find(self, path: str) -> str | None:
        """The path of a file or folder that `path`, or a folder on its way, collides with."""
        names = parts(path)
        for depth, name in enumerate(names):
            same = self._listing(names[:depth]).get(folded(name), set())
            if same and name not in same:
                return "/".join((*names[:depth], min(same)))
        return None

    def _listing(self, above: tuple[str, ...]) -> dict[str, set[str]]:
        if above not in self._folders:
            listing = self._folders[above] = dict[str, set[str]]()
            for name in self._vault.names(above):
                listing.setdefault(folded(name), set()).add(name)
        return self._folders[above]
