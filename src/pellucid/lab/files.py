"""A path a person gave in, the one file meant out."""

from pathlib import Path

from pellucid.errors import InputError


def find(path: Path, pattern: str) -> Path:
    """`path` itself if it is a file, else the first file in it (or one folder below) that fits `pattern`.

    Raises:
        InputError: there is none.
    """
    if path.is_file():
        return path
    found = sorted([*path.glob(pattern), *path.glob(f"*/{pattern}")])
    if not found:
        raise InputError(
            f"--data {path} holds no {pattern}", code="invalid_data", next_step="name the folder of the data set"
        )
    return found[0]
