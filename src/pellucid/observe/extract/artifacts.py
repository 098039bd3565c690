"""The turns of a segment in, the artifacts they make, change or mention out: files, specifications, links."""

import re
from collections.abc import Iterable, Iterator

from pellucid.model.artifact import Artifact, ArtifactRole
from pellucid.model.turn import Turn

MAX_ARTIFACTS = 40
"""The most artifacts of one segment."""

_MAKES = re.compile(r"^(?:write|create_?file|new_?file|write_?file)$", re.IGNORECASE)
_CHANGES = re.compile(
    r"^(?:edit|multi_?edit|notebook_?edit|str_replace.*|apply_?patch|edit_?file|update_?file)$", re.IGNORECASE
)
# arguments as `blocks.call_text` writes them: a turn is one redacted text, and keeps no fields
_PATH_ARGUMENT = re.compile(r"^(?:file_?path|path|notebook_path|filename|target_file): (\S.*)$", re.MULTILINE)
_PATCHED = re.compile(r"^\*\*\* (Add|Update) File: (\S.*)$", re.MULTILINE)
_SPEC = re.compile(r"\b(?:SPEC|ADR|RFC|EIP|PEP|JEP|KEP)[- #]{0,2}\d{1,5}\b")
_LINK = re.compile(r"\bhttps?://[^\s<>\"')\]}]{4,200}")
_FILE = re.compile(
    r"(?<![\w~/.@:-])(?:[\w~.-]+/)*[\w.-]*\w\."
    r"(?:py|pyi|ts|tsx|js|jsx|mjs|go|rs|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sql|sh|bash|ps1|md|rst|txt|toml|ya?ml|json"
    r"|jsonl|ini|cfg|conf|env|lock|tf|proto|graphql|html|css|scss|ipynb|csv|xml|gradle|dockerfile)\b(?![\w/-])"
)
_ROLES: tuple[ArtifactRole, ...] = ("made", "changed", "mentioned")
_LOOKED_AT = 20_000
"""Characters of a turn that are searched; further down are listings."""


def artifacts_by_turn(turns: Iterable[Turn]) -> dict[int, list[Artifact]]:
    """Return a dict from the ordinals of turns to their artifacts, each once; without turns that have none.

    Only the first 20,000 characters of a turn are read. Files that a tool made or changed are named relative to the
    shortest working folder of the turns, if they are in it; what a person or agent mentions is named as written.
    """
    turns = list(turns)
    folder = min((each.folder for each in turns if each.folder), key=len, default="").rstrip("/")
    found = {
        turn.ordinal: list(dict.fromkeys(_artifacts_of_turn(turn, f"{folder}/" if folder else ""))) for turn in turns
    }
    return {ordinal: named for ordinal, named in found.items() if named}


def files_named(text: str) -> set[str]:
    """Return the paths and names of files in a text's first 20,000 characters, as written, but not absolute paths, nor
    those within links. A file is recognised by its ending, such as `.py`."""
    return set(_FILE.findall(_LINK.sub(" ", text[:_LOOKED_AT])))


def paths_in_call(turn: Turn) -> set[str]:
    """Return the paths that the arguments (`file_path: …` and the like) and patches in the first 20,000 characters of a
    tool's turn name.

    Those below the turn's folder are relative to it.
    """
    text, below = turn.content[:_LOOKED_AT], f"{turn.folder.rstrip('/')}/" if turn.folder else ""
    paths = (*_PATH_ARGUMENT.findall(text), *(path for _, path in _PATCHED.findall(text)))
    return {path.strip().removeprefix(below) for path in paths}


def merge_artifacts(by_turn: dict[int, list[Artifact]]) -> tuple[Artifact, ...]:
    """Return each artifact of a segment once, in its strongest role; at most 40: made, changed, then mentioned.
    `by_turn` maps ordinals of turns to their artifacts.

    A mention of a file that was made or changed is left out, also if only the end of its path is mentioned.
    """
    strongest: dict[tuple[str, str], Artifact] = {}
    for artifact in (each for artifacts in by_turn.values() for each in artifacts):
        stronger = strongest.setdefault((artifact.kind, artifact.name), artifact)
        if _ROLES.index(artifact.role) < _ROLES.index(stronger.role):
            strongest[artifact.kind, artifact.name] = artifact
    files = (each.name for each in strongest.values() if each.kind == "file" and each.role != "mentioned")
    worked_on = {end for name in files for end in _path_ends(name)}
    merged = (each for each in strongest.values() if each.role != "mentioned" or each.name not in worked_on)
    return tuple(sorted(merged, key=lambda each: _ROLES.index(each.role)))[:MAX_ARTIFACTS]


def _path_ends(path: str) -> Iterator[str]:
    """Yield the path and each shorter end of the path: `src/app.py`, `app.py`."""
    parts = path.split("/")
    return ("/".join(parts[start:]) for start in range(len(parts)))


def _artifacts_of_turn(turn: Turn, below: str) -> Iterator[Artifact]:
    """Yield the links, specifications and files in a spoken turn, or the files a tool's turn made or changed.

    Only the first 20,000 characters are read. Files of tools are relative to the folder `below` (with a final slash, or
    empty) if they are in it.
    """
    text = turn.content[:_LOOKED_AT]
    if turn.role == "tool":
        yield from _written_files(turn.tool or "", text, below)
        return
    for link in _LINK.findall(text):
        yield Artifact(kind="link", name=link.rstrip(".,;:!?"))
    text = _LINK.sub(" ", text)
    for spec in _SPEC.findall(text):
        yield Artifact(kind="spec", name=re.sub(r"[ #]+", "-", spec).replace("--", "-"))
    for path in _FILE.findall(text):
        yield Artifact(kind="file", name=path)


def _written_files(tool: str, text: str, below: str) -> Iterator[Artifact]:
    """Yield the files that a call of `tool`, or patches in its `text`, made or changed.

    Their paths are relative to the folder `below` (with a final slash, or empty) if they are in it, and cut at 200
    characters.
    """
    role: ArtifactRole | None = "made" if _MAKES.match(tool) else "changed" if _CHANGES.match(tool) else None
    if role:
        for path in _PATH_ARGUMENT.findall(text):
            yield Artifact(kind="file", name=path.strip().removeprefix(below)[:200], role=role)
    for verb, path in _PATCHED.findall(text):
        patched: ArtifactRole = "made" if verb == "Add" else "changed"
        yield Artifact(kind="file", name=path.strip().removeprefix(below)[:200], role=patched)
