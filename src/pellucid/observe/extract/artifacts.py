"""The turns of a segment in, the artifacts they make, change or mention out: files, specifications, links."""

import re
from collections.abc import Iterable, Iterator

from pellucid.model.artifact import Artifact, ArtifactRole
from pellucid.model.turn import Turn

MOST = 40
"""Artifacts of one segment at most: those made or changed first, then in the order of their mention."""

_MAKES = re.compile(r"^(?:write|create_?file|new_?file|write_?file)$", re.IGNORECASE)
_CHANGES = re.compile(
    r"^(?:edit|multi_?edit|notebook_?edit|str_replace.*|apply_?patch|edit_?file|update_?file)$", re.IGNORECASE
)
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
"""Characters of a turn that are searched: what stands further down is a listing."""


def artifacts(turns: Iterable[Turn]) -> dict[int, list[Artifact]]:
    """The artifacts of each turn, by its ordinal; a tool's output (a log, a listing) mentions nothing by itself.

    Files below the folder that the agent worked in (the outermost one) are named by their path from there.
    """
    turns = list(turns)
    folder = min((each.folder for each in turns if each.folder), key=len, default="").rstrip("/")
    found = {
        turn.ordinal: list(dict.fromkeys(_artifacts_of_turn(turn, f"{folder}/" if folder else ""))) for turn in turns
    }
    return {ordinal: named for ordinal, named in found.items() if named}


def files_named(text: str) -> set[str]:
    """The paths and names of files that a text names, as it writes them."""
    return set(_FILE.findall(_LINK.sub(" ", text[:_LOOKED_AT])))


def paths_given(turn: Turn) -> set[str]:
    """The files that a tool was called with; those below the folder of the turn by their path from there."""
    text, below = turn.content[:_LOOKED_AT], f"{turn.folder.rstrip('/')}/" if turn.folder else ""
    paths = (*_PATH_ARGUMENT.findall(text), *(path for _, path in _PATCHED.findall(text)))
    return {path.strip().removeprefix(below) for path in paths}


def of_segment(by_turn: dict[int, list[Artifact]]) -> tuple[Artifact, ...]:
    """Each artifact of the segment once, with the most that was done with it; those made or changed first.

    A file that is mentioned by the end of its path is the one that was worked on under its whole path.
    """
    strongest: dict[tuple[str, str], Artifact] = {}
    for artifact in (each for named in by_turn.values() for each in named):
        held = strongest.setdefault((artifact.kind, artifact.name), artifact)
        if _ROLES.index(artifact.role) < _ROLES.index(held.role):
            strongest[artifact.kind, artifact.name] = artifact
    worked_on = {
        end
        for each in strongest.values()
        if each.kind == "file" and each.role != "mentioned"
        for end in _path_ends(each.name)
    }
    named = (each for each in strongest.values() if each.role != "mentioned" or each.name not in worked_on)
    return tuple(sorted(named, key=lambda each: _ROLES.index(each.role)))[:MOST]


def _path_ends(path: str) -> Iterator[str]:
    """What a path may be called for short: each of its ends."""
    parts = path.split("/")
    return ("/".join(parts[start:]) for start in range(len(parts)))


def _artifacts_of_turn(turn: Turn, below: str) -> Iterator[Artifact]:
    """What a turn names: links, specifications and files; of a tool's turn the files it made or changed.

    `below` is the folder whose path is left out.
    """
    text = turn.content[:_LOOKED_AT]
    if turn.role == "tool":
        yield from _worked_on(turn.tool or "", text, below)
        return
    for link in _LINK.findall(text):
        yield Artifact(kind="link", name=link.rstrip(".,;:!?"))
    text = _LINK.sub(" ", text)
    for spec in _SPEC.findall(text):
        yield Artifact(kind="spec", name=re.sub(r"[ #]+", "-", spec).replace("--", "-"))
    for path in _FILE.findall(text):
        yield Artifact(kind="file", name=path)


def _worked_on(tool: str, text: str, below: str) -> Iterator[Artifact]:
    """The files that a tool's call made or changed, by their paths from the folder `below` on."""
    role: ArtifactRole | None = "made" if _MAKES.match(tool) else "changed" if _CHANGES.match(tool) else None
    if role:
        for path in _PATH_ARGUMENT.findall(text):
            yield Artifact(kind="file", name=path.strip().removeprefix(below)[:200], role=role)
    for verb, path in _PATCHED.findall(text):
        yield Artifact(
            kind="file", name=path.strip().removeprefix(below)[:200], role="made" if verb == "Add" else "changed"
        )
