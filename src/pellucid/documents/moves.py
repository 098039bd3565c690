"""A file and its digest in, the stored document that it is out: that of its path, or one that was elsewhere before."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pellucid.documents.files import is_gone
from pellucid.store.graph_port import FiledDocument


@dataclass(slots=True)
class Moves:
    """The documents whose files moved since the last run."""

    lost: dict[str, Path] = field(default_factory=dict[str, Path])
    """Maps digests to the missing files of stored documents."""
    moved_to: dict[Path, Path] = field(default_factory=dict[Path, Path])
    """Maps each file that was renamed in git to the file that it was before."""
    displaced: dict[Path, FiledDocument] = field(default_factory=dict[Path, FiledDocument])
    """Maps files that now contain another document to the former one, until that is found elsewhere."""
    _places: dict[str, list[Path]] = field(default_factory=dict[str, list[Path]])
    """Maps digests to the files of the stored documents that are not removed."""

    @classmethod
    def of(cls, stored: Mapping[Path, FiledDocument], missing: Iterable[Path]) -> "Moves":
        """Make the moves of a run, before any file is looked at: `stored` maps files to their documents, and `missing`
        are those of these files that are gone. `moved_to` is left empty, to be filled from git.
        """
        places: dict[str, list[Path]] = defaultdict(list)
        for file, each in stored.items():
            if each.document.removed_at is None:
                places[each.document.digest].append(file)
        return cls({stored[file].document.digest: file for file in missing}, _places=dict(places))

    def match_stored_document(
        self, file: Path, digest: str, stored: dict[Path, FiledDocument], *, has_history: bool = False
    ) -> FiledDocument | None:
        """Return the stored document that a file is, by path, bytes (`digest`, SHA-256) or a rename in git; None for a
        new file.

        `stored` maps files to documents; a document that moved here is removed from it (or from `displaced`), and the
        one that this path had goes from it to `displaced`; `lost` loses the digest of a missing one. The first of these
        is returned: the document of this path, if its bytes are the same, it is marked as removed, or the file
        `has_history` in git; a document with these bytes whose file is gone or now has another stored document's bytes
        (with `has_history` only a missing one); if this path has no document, the one whose file git renamed to this
        path; the document of this path.
        """
        own = stored.get(file)
        if own and (has_history or own.document.digest == digest or own.document.removed_at is not None):
            return own
        old_file = None if has_history else self._find_swapped_file(file, digest, stored)
        if old_file is None and own is None:
            missing_file = self.lost.pop(digest, None)
            old_file = missing_file if missing_file in stored else self.moved_to.get(file)
        if old_file is None:
            return own
        if own:
            self.displaced[file] = stored.pop(file)
        return self.displaced.pop(old_file, None) or stored.pop(old_file, None)

    def former_path(self, file: Path) -> Path:
        """Return the path under which a file's document was stored: the one that git renamed the file from, else its
        own.
        """
        return self.moved_to.get(file, file)

    def _find_swapped_file(self, file: Path, digest: str, stored: Mapping[Path, FiledDocument]) -> Path | None:
        """Return the file whose document has this digest, if that document is in `displaced`; else the first such file
        in `stored`, other than `file`, that is missing or now has another stored document's bytes (`_has_left`); else
        None.
        """
        for other, each in self.displaced.items():
            if each.document.digest == digest:
                return other
        for other in self._places.get(digest, ()):
            if other != file and other in stored and self._has_left(other, digest):
                return other
        return None

    def _has_left(self, place: Path, digest: str) -> bool:
        """Whether the file at `place` is missing, or now has bytes that are those of a stored document and whose
        SHA-256 is not `digest`; False if it cannot be read.
        """
        if is_gone(place):
            return True
        try:
            # read here, though the search may read it, too: its own turn may come in a later batch, or not at all
            now = hashlib.sha256(place.read_bytes()).hexdigest()
        except OSError:
            return False
        return now != digest and now in self._places
