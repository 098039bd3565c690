"""A file and its digest in, the document that it is out: the one of its place, or one that stood elsewhere before."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pellucid.documents.files import is_gone
from pellucid.store.graph_port import FiledDocument


@dataclass(slots=True)
class Moves:
    """Which files moved since the last run. Documents are taken out of `known` as they are found."""

    lost: dict[str, Path] = field(default_factory=dict[str, Path])
    """The files of documents that are not there any more, by digest."""
    moved_to: dict[Path, Path] = field(default_factory=dict[Path, Path])
    """Files that a history says were renamed, with the files that they were."""
    displaced: dict[Path, FiledDocument] = field(default_factory=dict[Path, FiledDocument])
    """Documents at whose place another one stands now, and that did not turn up elsewhere."""
    _places: dict[str, list[Path]] = field(default_factory=dict[str, list[Path]])
    """The files of documents that stand, by digest."""

    @classmethod
    def of(cls, known: Mapping[Path, FiledDocument], missing: Iterable[Path]) -> "Moves":
        """What is known before files are looked at: `missing` are files that are gone; all that stand may have swapped
        places."""
        places: dict[str, list[Path]] = defaultdict(list)
        for file, each in known.items():
            if each.document.removed_at is None:
                places[each.document.digest].append(file)
        return cls({known[file].document.digest: file for file in missing}, _places=dict(places))

    def take(
        self, file: Path, digest: str, known: dict[Path, FiledDocument], *, has_history: bool = False
    ) -> FiledDocument | None:
        """The known document that a file is; None if it is new. One that moved here leaves `known`.

        It is the one of this path if its bytes are the same, else one of these bytes that left its place, else, for an
        unknown path, one renamed to it in git, else the one of this path with other bytes. With a history in git
        (`has_history`) the document of this path stays: git swaps no names.
        """
        own = known.get(file)
        if own and (has_history or own.document.digest == digest or own.document.removed_at is not None):
            return own
        before = None if has_history else self._swapped_from(file, digest, known)
        if before is None and own is None:
            lost = self.lost.pop(digest, None)
            before = lost if lost in known else self.moved_to.get(file)
        if before is None:
            return own
        if own:
            self.displaced[file] = known.pop(file)
        return self.displaced.pop(before, None) or known.pop(before, None)

    def former_path(self, file: Path) -> Path:
        """The path under which a file is known: what git says it was renamed from, else its own."""
        return self.moved_to.get(file, file)

    def _swapped_from(self, file: Path, digest: str, known: Mapping[Path, FiledDocument]) -> Path | None:
        """The file where the document of this digest was, if it holds another document or nothing now; else None."""
        for place, each in self.displaced.items():
            if each.document.digest == digest:
                return place
        for place in self._places.get(digest, ()):
            if place != file and place in known and self._has_left(place, digest):
                return place
        return None

    def _has_left(self, place: Path, digest: str) -> bool:
        """Whether a file is gone, or holds the bytes of another known document now; False if it cannot be read."""
        if is_gone(place):
            return True
        try:
            now = hashlib.sha256(place.read_bytes()).hexdigest()
        except OSError:
            return False
        return now != digest and now in self._places
