"""A text in, the file paths that it mentions out: `src/app.py`; names like `Makefile` only after a folder."""

import re

_PATH = re.compile(r"(?<![\w/.@:-])(?:\.{0,2}/)?(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/-])")
_FOLDER = re.compile(r"(?<![\w/.@:-])(?:\.{0,2}/)?(?:[\w.@+-]+/)+[\w.@+-]+(?![\w/-])")
_ADDRESS = re.compile(r"[^/@]+@[^/@]+")
_MOST = 64  # paths taken of one text at most


def paths_in(text: str) -> tuple[str, ...]:
    """Return the distinct file paths in a text, in order, normalised as by `plain_path`; at most 64.

    A path is anything of two parts or more (`and/or`, too), or a bare name with an extension of one to eight letters
    and digits that begins with a letter (`example.com`, too). An address with `://` or `@`, a version number and a
    decimal are not.
    """
    spans = sorted({found.span() for pattern in (_PATH, _FOLDER) for found in pattern.finditer(text)})
    out = dict.fromkeys(plain_path(text[start:end]) for start, end in spans)
    return tuple(path for path in out if path and not _ADDRESS.fullmatch(path))[:_MOST]


def plain_path(path: str) -> str:
    """Normalise a path for comparison: casefolded, forward slashes, no leading `./`, no slash or full stop at its end.

    A slash at its beginning goes, too.
    """
    return path.replace("\\", "/").removeprefix("./").strip("/").rstrip(".").casefold()


def file_name(path: str) -> str:
    """Return the last part of a normalised path."""
    return path.rpartition("/")[2]
