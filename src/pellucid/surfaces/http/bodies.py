"""A request's body in, its fields or a file of its own out: no larger than is allowed, and text that can be kept."""

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs

import anyio

from pellucid.errors import InputError
from pellucid.store.local.database import make_private_folder, os_errors_explained
from pellucid.surfaces.http.refusals import HttpError

FOLDER = "incoming"
_BODY_S = 600.0


class GoneError(Exception):
    """The client went away before its request was whole."""


async def chunks(receive: Any, limit: int) -> AsyncIterator[bytes]:
    """The body as it comes.

    Raises:
        HttpError: there is more of it than `limit` bytes (413), or it takes too long (408).
        GoneError: it ended too early.
    """
    taken, more, until = 0, True, anyio.current_time() + _BODY_S
    while more:
        try:
            with anyio.fail_after(max(0.0, until - anyio.current_time())):
                message = await receive()
        except TimeoutError as error:
            raise HttpError(408, "too_slow", f"the body was not there within {_BODY_S:g} seconds") from error
        if message["type"] == "http.disconnect":
            raise GoneError
        data, more = cast("bytes", message.get("body", b"")), bool(message.get("more_body", False))
        taken += len(data)
        if taken > limit:
            raise HttpError(413, "too_large", f"the body may have {limit} bytes", "send less, or in parts")
        yield data


def fields(data: bytes, media: str) -> dict[str, object]:
    """A body as the fields of a call.

    Raises:
        InputError: it is no JSON object, or holds what is no text.
        HttpError: it is said to be something else (415).
    """
    if not data.strip():
        return {}
    if media.partition(";")[0].strip().lower() != "application/json":
        raise HttpError(415, "wrong_media_type", "the body is to be application/json")
    try:
        found = json.loads(data, parse_constant=_no_number)
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeError as error:
        raise InputError("the body holds what is no text in UTF-8", code="invalid_text") from error
    except (ValueError, RecursionError) as error:
        raise InputError("the body is no JSON document", code="invalid_json") from error
    if not isinstance(found, dict):
        raise InputError("the body is to be a JSON object", code="invalid_json")
    return cast("dict[str, object]", found)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def clear(home: Path) -> None:
    """Remove what an earlier server took in and could not end: it may hold secrets."""
    shutil.rmtree(home / FOLDER, ignore_errors=True)


async def spooled(receive: Any, limit: int, home: Path) -> tuple[Path, str]:
    """The body in a file that only its owner can read, in a folder of its own; and its digest.

    It is named by what it holds: what tells no session is filed under the name of its file, and a repetition of it
    under the same.

    Raises:
        HttpError: there is too much of it (413).
        StoreError: it cannot be written.
    """
    folder, digest = home / FOLDER / secrets.token_hex(8), hashlib.sha256()
    with os_errors_explained(folder):
        make_private_folder(folder)
        draft = folder / "draft"
        try:
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
                async for data in chunks(receive, limit):
                    digest.update(data)
                    file.write(data)
            place = folder / digest.hexdigest()[:16]
            os.rename(draft, place)
        except BaseException:
            remove(draft)
            raise
    return place, digest.hexdigest()


def remove(file: Path) -> None:
    """What was taken in, once it was read."""
    shutil.rmtree(file.parent, ignore_errors=True)


def query_words(raw: bytes) -> dict[str, list[str]]:
    """The fields of a query, or of a form.

    Raises:
        InputError: it is not UTF-8, or has too many fields.
    """
    try:
        return parse_qs(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=500)
    except ValueError as error:
        raise InputError("what was sent is not UTF-8, or has too many fields", code="invalid_text") from error
