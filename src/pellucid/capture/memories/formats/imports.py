"""An `@path` of an instruction file in, the file it names out: inside the same folder tree, once, and text."""

from pathlib import Path

from pellucid.capture.memories.document import SourceFile, is_file

SUFFIXES = frozenset({"", ".md", ".mdc", ".markdown", ".txt"})


def imported(name: str, document: SourceFile, *, deep: bool) -> SourceFile | None:
    """The document an import names; None, with the reason counted, if it may not or need not be read.

    A name without a slash or a suffix that is no file (`@dataclass`) is not an import at all.
    """
    report = document.report
    path = _place(name, document)
    is_path = "/" in name or "." in name.strip(".")
    if path is None or not is_file(path):
        if is_path:
            report.drop("import-outside" if path is None else "import-missing")
        return None
    if deep:
        report.drop("import-too-deep")
    elif path.suffix.lower() not in SUFFIXES:
        report.drop("import-not-text")
    elif document.claim(path):
        report.files += 1
        return SourceFile(path, document.root, report, document.claim)
    return None


def _place(name: str, document: SourceFile) -> Path | None:
    """Where the name leads, links followed; None if that is outside the root."""
    if name.startswith("~"):
        return None
    root = document.root.resolve()
    try:
        path = (document.path.parent / name).resolve()
    except (OSError, RuntimeError):  # a loop of links
        return None
    return path if path.is_relative_to(root) else None
