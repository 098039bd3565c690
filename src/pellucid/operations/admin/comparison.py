"""The vault and the index in, the differences between them out: the thorough part of `doctor`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pellucid.app import App
from pellucid.errors import InputError, step
from pellucid.operations.settling import HealthFinding, finding
from pellucid.store.index_changes import IndexedFile
from pellucid.store.local import health
from pellucid.store.records import Stamp
from pellucid.vault.markdown import FileIdentity, parse
from pellucid.xray.words.visible import visible


def rebuild_step() -> str:
    """Return the advice to rebuild the index, such as `run pellucid rebuild`; the call is written as the surface in use
    (command line, HTTP, Python …) writes it."""
    return f"run {step('home.rebuild')}"


_SHOWN = 5
_Key = tuple[str, str]
"""The namespace and the id of a memory."""


@dataclass(slots=True)
class Comparison:
    """Compares the vault's files with the index. `indexed_prints` maps the path of each indexed file to the
    fingerprints of its memories. Files in `skip` are not compared, since they changed and are not indexed yet."""

    app: App
    indexed_prints: dict[str, dict[_Key, bytes]]
    indexed: dict[str, IndexedFile]
    skip: frozenset[str]
    found: list[HealthFinding] = field(default_factory=list[HealthFinding])
    _places: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    _prints: dict[str, dict[_Key, bytes]] = field(default_factory=dict[str, "dict[_Key, bytes]"])

    def run(self) -> None:
        """Check every file of the vault. Appends problems to `found`, and adds to `skip` the files that are damaged or
        cannot be compared."""
        incomparable: set[str] = set()
        for stamp in self.app.records.walk():
            try:
                if not self._check_file(stamp):
                    incomparable.add(stamp.path)
            except InputError as error:
                self.found.append(finding("file", stamp.path, error.message, error.next_step))
                incomparable.add(stamp.path)
        self.skip |= incomparable

    def _check_file(self, stamp: Stamp) -> bool:
        """Read a vault file, record the paths and fingerprints of its memories in `_places` and `_prints`, and return
        True. Return False, without fingerprints, if the file is gone, is in `skip`, or has other bytes than those that
        were indexed, though the same size and time; the latter is also appended to `found`. InputError if the file
        cannot be parsed."""
        head = self.app.records.heads([stamp.path])[0]
        if head.data is None:
            return False
        folder, at = self.app.indexer, datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC)
        memories = [
            memory for memory, _ in parse(head.path, head.data, FileIdentity(folder.namespace, folder.key, at)).memories
        ]
        for memory in memories:
            self._places.setdefault(memory.id, []).append(head.path)
        if head.path in self.skip or head.stamp is None:
            return False
        known = self.indexed.get(head.path)
        if known and known.digest != head.digest:
            what = "changed since it was indexed, though its size and time did not"
            self.found.append(finding("drift", head.path, what, rebuild_step()))
            return False
        self._prints[head.path] = {(memory.namespace, memory.id): health.fingerprint(memory) for memory in memories}
        return True

    def doubled(self) -> Iterator[HealthFinding]:
        """Yield a finding for each memory id that occurs more than once in the vault's files, also in those in `skip`.
        Call `run` first."""
        for memory_id, places in self._places.items():
            if len(places) > 1:
                where = f"stands in {', '.join(places)}"
                yield finding("id", memory_id, where, "give the copy no id, or delete it")

    def differing(self) -> Iterator[HealthFinding]:
        """Yield findings, each for one namespace: memories that the index lacks (unless their id is doubled), memories
        of the index that are in no file, and memories that differ between index and file. Files in `skip` are left out.
        Call `run` first."""
        indexed = self.indexed_prints
        in_files = [(path, *item) for path, prints in self._prints.items() for item in prints.items()]
        missing = [
            key for path, key, _ in in_files if key not in indexed.get(path, {}) and len(self._places[key[1]]) == 1
        ]
        strange = [
            key
            for path, rows in indexed.items()
            if path not in self.skip
            for key in rows
            if key not in self._prints.get(path, {})
        ]
        differing = [
            key for path, key, file_print in in_files if indexed.get(path, {}).get(key, file_print) != file_print
        ]
        yield from _memory_findings("of files are not in the index", missing)
        yield from _memory_findings("of the index stand in no file", strange)
        yield from _memory_findings("are not in the index as their files say them", differing)


def _memory_findings(problem: str, keys: list[_Key]) -> Iterator[HealthFinding]:
    """Yield one finding for each namespace in `keys`, in order of name, with the number of its memories and the first
    five of their ids. `problem` says what is wrong with all of them, such as `of the index stand in no file`."""
    for namespace in sorted({namespace for namespace, _ in keys}):
        ids = [memory_id for here, memory_id in keys if here == namespace]
        yield finding("index", namespace, f"{len(ids)} memories {problem}: {first_names(ids)}", rebuild_step())


def first_names(names: Sequence[str]) -> str:
    """Join the first five names by commas, followed by ` …` if there are more; invisible characters become visible."""
    return visible(f"{', '.join(names[:_SHOWN])}{' …' if len(names) > _SHOWN else ''}")
