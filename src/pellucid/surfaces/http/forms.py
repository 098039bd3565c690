"""What a client accepts in, the form of an answer out; and what each form is called over HTTP."""

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
    """As it stands in a header."""
    return MEDIA[form] if form in ("json", "lines") else f"{MEDIA[form]}; charset=utf-8"


def chosen(offered: tuple[Form, ...], named: str | None, accept: str) -> Form:
    """The form that a client asks for by its name, or else prefers; the first that is offered where it takes any.

    Raises:
        InputError: that is the name of no form offered.
        HttpError: none that is offered is accepted (406).
    """
    if named is not None:
        for each in offered:
            if each == named.strip().lower():
                return each
        raise InputError(
            f"{json.dumps('format')} expects one of {', '.join(offered)}; got {json.dumps(named[:40])}",
            code="invalid_format",
        )
    best = max(offered, key=lambda each: _worth(MEDIA[each], accept))
    if _worth(MEDIA[best], accept) <= 0:
        raise HttpError(406, "not_acceptable", f"this is given as {', '.join(MEDIA[each] for each in offered)}")
    return best


def _worth(media: str, accept: str) -> float:
    """How much a client wants a media type; what it names exactly counts before what it names with a star."""
    if not accept.strip():
        return 1.0
    stars = (media, f"{media.partition('/')[0]}/*", "*/*")
    found: dict[str, float] = {}
    for part in accept.split(","):
        name, *parameters = (each.strip().lower() for each in part.split(";"))
        quality = next((each[2:] for each in parameters if each.startswith("q=")), "1")
        try:
            found[name] = float(quality)
        except ValueError:
            found[name] = 0.0
    return next((found[each] for each in stars if each in found), 0.0)
