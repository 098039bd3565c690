"""Files of our own writing in, what the reader makes of them out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pellucid.capture.memories.adopted import AdoptedMemory, MemoryFormat
from pellucid.capture.memories.reader import read_memories
from pellucid.capture.report import CaptureReport
from pellucid.settings.sections import CaptureSettings


@dataclass(frozen=True)
class Read:
    """The memories of one reading and its tally."""

    memories: Sequence[AdoptedMemory]
    report: CaptureReport

    @property
    def contents(self) -> list[str]:
        return [memory.content for memory in self.memories]

    @property
    def dropped(self) -> dict[str, int]:
        return dict(self.report.dropped)

    def one(self, words: str) -> AdoptedMemory:
        """The one memory with these words."""
        found = [memory for memory in self.memories if words in memory.content]
        assert len(found) == 1, (words, self.contents)
        return found[0]


def read(*paths: Path, kind: MemoryFormat | None = None, settings: CaptureSettings | None = None) -> Read:
    """Read files and folders to the end."""
    report = CaptureReport()
    found = tuple(read_memories(paths, settings or CaptureSettings(), report, memory_format=kind))
    return Read(found, report)


def written(folder: Path, name: str, text: str | bytes) -> Path:
    """A file with this text in it, folders included."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
