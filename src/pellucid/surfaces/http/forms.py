"""A request's Accept header and `format` parameter in, the form of the answer out; and the media type of each form."""

import json
from collections.abc import Mapping

from pellucid.errors import InputError
from pellucid.surfaces.answers import Form
from pellucid.surfaces.http.refusals import HttpError

MEDIA: Mapping[Form, str] = {
    "json": "application/json",
    "text": "text/plain",
    "markdown": "text/markdown",
    "html": "text/html",
    "lines": "application/x-ndjson",
}


def content_type(form: Form) -> str:
    """Return the value of the Content-Type header for an answer in this form, such as `application/json`; a form other
    than JSON and JSON lines has `; charset=utf-8` after it, as in `text/plain; charset=utf-8`.
    """
    return MEDIA[form] if form in ("json", "lines") else f"{MEDIA[form]}; charset=utf-8"


def choose_form(offered: tuple[Form, ...], requested: str | None, accept: str) -> Form:
    """Return the format among `offered` whose name is `requested`, in upper or lower case; if `requested` is None, the
    one to which the Accept header gives the highest quality, the first of several. An empty header accepts all.

    `requested` is the parameter `format`, None if it was not sent; `InputError` if it is not offered. `HttpError` 406
    if `requested` is None and the header accepts no offered format.
    """
    if requested is not None:
        for each in offered:
            if each == requested.strip().lower():
                return each
        raise InputError(
            f"{json.dumps('format')} expects one of {', '.join(offered)}; got {json.dumps(requested[:40])}",
            code="invalid_format",
        )
    best = max(offered, key=lambda each: _quality(MEDIA[each], accept))
    if _quality(MEDIA[best], accept) <= 0:
        raise HttpError(406, "not_acceptable", f"this is given as {', '.join(MEDIA[each] for each in offered)}")
    return best


def _quality(media: str, accept: str) -> float:
    """Return the quality (0 to 1; a `q` beyond that is returned as it is) that an Accept header gives a media type, by
    the most exact range that matches. 0 if no range matches or its `q` is no number, 1 if the header is blank or the
    range has no `q`.
    """
    if not accept.strip():
        return 1.0
    ranges = (media, f"{media.partition('/')[0]}/*", "*/*")
    qualities: dict[str, float] = {}
    for part in accept.split(","):
        name, *parameters = (each.strip().lower() for each in part.split(";"))
        quality = next((each[2:] for each in parameters if each.startswith("q=")), "1")
        try:
            qualities[name] = float(quality)
        except ValueError:
            qualities[name] = 0.0
    return next((qualities[each] for each in ranges if each in qualities), 0.0)
