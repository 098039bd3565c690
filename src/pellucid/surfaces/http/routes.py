"""The operations table in, routes out; a method and a path in, the operation and the fields that the path names out."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote_to_bytes, urlencode

from pydantic.alias_generators import to_camel

from pellucid.errors import InputError
from pellucid.operations.operation import Operation
from pellucid.surfaces.http.refusals import HttpError
from pellucid.surfaces.inputs import WritableField, writable_fields
from pellucid.surfaces.spelling import SpelledRequest, program_spelling

_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Route:
    """A method and path, the operation that they run, and the places of its fields."""

    row: Operation[Any, Any]
    method: str
    path: str
    """Such as `/v1/memories/{memoryId}`."""
    fields: Mapping[str, WritableField]
    """The fields that are sent in the query or the body, by their JSON names."""
    in_path: tuple[str, ...]
    """The JSON names of the fields in the path."""

    @property
    def is_of_home(self) -> bool:
        """Whether the operation is about the whole home rather than a namespace."""
        return "namespace" not in self.row.input.model_fields

    @property
    def has_body(self) -> bool:
        """Whether the method is not GET. Fields are then sent in the body rather than the query, unless the body is an
        upload: then they stay in the query.
        """
        return self.method != "GET"

    @property
    def parts(self) -> tuple[str, ...]:
        """The segments of the path, the first of them empty."""
        return tuple(self.path.split("/"))


def routes_of(rows: Iterable[Operation[Any, Any]]) -> Iterator[Route]:
    """Yield the routes of these operations, one for each method and path of a row; nothing for a row without any. A
    route with a field in its path, such as a recall's id, takes no fields of nested inputs (an input class within the
    input class): the field in the path says which recall, which the nested input would ask anew."""
    for row in rows:
        for each in row.on.http:
            method, _, path = each.partition(" ")
            in_path = tuple(map(to_camel, _FIELD.findall(path)))
            known = writable_fields(row)
            nested = {known[name].parent for name in known if name not in in_path} - {""} if in_path else set[str]()
            fields = {name: at for name, at in known.items() if name not in in_path and at.parent not in nested}
            yield Route(row, method, _FIELD.sub(lambda at: f"{{{to_camel(at[1])}}}", path), fields, in_path)


class Routes:
    """Finds the route of a request."""

    def __init__(self, rows: Iterable[Operation[Any, Any]]) -> None:
        # fixed words before fields, so that a word of a path is never taken for an id
        self.all = sorted(routes_of(rows), key=lambda each: [part.startswith("{") for part in each.parts])

    def find(self, method: str, raw_path: bytes) -> tuple[Route, dict[str, str]]:
        """Return the route of a request (HEAD counts as GET), and the values of its path's fields by their JSON names.
        `HttpError` 404 if there is no such path, 405 if not with this method; `InputError` if it is not UTF-8.
        """
        try:
            words = [unquote_to_bytes(part).decode() for part in raw_path.split(b"/")]
        except UnicodeDecodeError as error:
            raise InputError("the path is not UTF-8", code="invalid_text") from error
        at_path = [each for each in self.all if _matches(each.parts, words)]
        for each in at_path:
            if each.method == ("GET" if method == "HEAD" else method):
                pairs = zip(each.parts, words, strict=True)
                return each, {part[1:-1]: word for part, word in pairs if part.startswith("{")}
        if at_path:
            methods = sorted({each.method for each in at_path})
            raise HttpError(405, "wrong_method", f"this path takes {', '.join(methods)}", Allow=", ".join(methods))
        raise HttpError(404, "not_found", "there is no such path", "GET /openapi.json names all there are")


def _matches(parts: tuple[str, ...], words: list[str]) -> bool:
    """Whether `words`, the segments of a path, match `parts`, those of a route, one for one; a field (`{id}`) matches
    any segment but an empty one.
    """
    return len(parts) == len(words) and all(
        bool(word) if part.startswith("{") else part == word for part, word in zip(parts, words, strict=True)
    )


def _spell_request(request: SpelledRequest) -> str | None:
    """Write a request as a line, such as `POST /v1/undo {"target": "op_1"}`, for that of the operation's routes which
    takes the most fields in its path; the namespace, if the request names one, is in the query. None if no route has a
    place for all of the request's fields.
    """
    candidates = [each for each in routes_of([request.row]) if _takes(each, request.fields)]
    if not candidates:
        return None
    route = max(candidates, key=lambda each: len(each.in_path))
    path, fields = route.path, dict(request.fields)
    for name in route.in_path:
        path = path.replace(f"{{{name}}}", quote(str(fields.pop(name)), safe=""))
    query = {} if route.has_body else fields
    query |= {"namespace": request.namespace} if request.namespace else {}
    line = f"{route.method} {path}{f'?{urlencode(query, doseq=True)}' if query else ''}"
    return f"{line} {json.dumps(fields, ensure_ascii=False)}" if route.has_body and fields else line


def _takes(route: Route, fields: Mapping[str, object]) -> bool:
    """Whether a route has a place for all of these fields, and every field of its path is among them."""
    return fields.keys() <= {*route.fields, *route.in_path} and fields.keys() >= set(route.in_path)


SPELLING = program_spelling(_spell_request, "/openapi.json", "format=json")
"""A call as a request: its method, its path, and its body if it has one."""
