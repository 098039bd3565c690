"""A request's body in, its fields or a private file out: no larger than is allowed, and valid UTF-8."""

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
    """The client closed its connection before its request was complete."""


async def chunks(receive: Any, limit: int) -> AsyncIterator[bytes]:
    """Yield the pieces of a request's body as they arrive; `receive` is ASGI's. `HttpError` 413 if the body is larger
    than `limit` bytes, 408 if it takes over ten minutes; `GoneError` if the client disconnects before its end.
    """
    size, has_more, give_up_at = 0, True, anyio.current_time() + _BODY_S
    while has_more:
        try:
            with anyio.fail_after(max(0.0, give_up_at - anyio.current_time())):
                message = await receive()
        except TimeoutError as error:
            raise HttpError(408, "too_slow", f"the body was not there within {_BODY_S:g} seconds") from error
        if message["type"] == "http.disconnect":
            raise GoneError
        data, has_more = cast("bytes", message.get("body", b"")), bool(message.get("more_body", False))
        size += len(data)
        if size > limit:
            raise HttpError(413, "too_large", f"the body may have {limit} bytes", "send less, or in parts")
        yield data


def fields(data: bytes, media: str) -> dict[str, object]:
    """Parse a JSON object into the fields of a call; {} for an empty body. `HttpError` 415 if its content type `media`
    is not JSON; `InputError` for anything but a JSON object in UTF-8.
    """
    if not data.strip():
        return {}
    if media.partition(";")[0].strip().lower() != "application/json":
        raise HttpError(415, "wrong_media_type", "the body is to be application/json")
    try:
        found = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
        json.dumps(found, ensure_ascii=False).encode()  # refuses lone surrogates
    except UnicodeError as error:
        raise InputError("the body holds what is no text in UTF-8", code="invalid_text") from error
    except (ValueError, RecursionError) as error:
        raise InputError("the body is no JSON document", code="invalid_json") from error
    if not isinstance(found, dict):
        raise InputError("the body is to be a JSON object", code="invalid_json")
    return cast("dict[str, object]", found)


def _refuse_constant(name: str) -> None:
    """Raise `ValueError` for `NaN` and `Infinity`, which Python's parser would accept."""
    raise ValueError(f"{name} is no number of JSON")


def clear(home: Path) -> None:
    """Delete all uploads that an earlier server left in the home, as they can contain secrets."""
    shutil.rmtree(home / FOLDER, ignore_errors=True)


async def save_upload(receive: Any, limit: int, home: Path) -> tuple[Path, str]:
    """Save a request's body to a private file in a folder of its own; return its path and SHA-256 digest in hex.

    The file's name is from the digest: a transcript without a session id is filed under its file's name, and so under
    the same name if it is sent again. Errors are those of `chunks`, and a `StoreError` if the file cannot be written;
    nothing is left of it then.
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
            path = folder / digest.hexdigest()[:16]
            os.rename(draft, path)
        except BaseException:
            remove(draft)
            raise
    return path, digest.hexdigest()


def remove(file: Path) -> None:
    """Delete an upload with its folder; errors, such as that it is gone already, are ignored."""
    shutil.rmtree(file.parent, ignore_errors=True)


def query_words(raw: bytes) -> dict[str, list[str]]:
    """Parse a query string or a form into lists of values by name, empty values too. `InputError` if it has bytes that
    are not ASCII, percent-encoded text that is not UTF-8, or over 500 fields.
    """
    try:
        return parse_qs(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=500)
    except ValueError as error:
        raise InputError("what was sent is not UTF-8, or has too many fields", code="invalid_text") from error
