"""The operations table in, routes out; a method and a path in, the operation and the fields that the path names out."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote, unquote_to_bytes, urlencode

from pydantic.alias_generators import to_camel

from pellucid.errors import InputError
from pellucid.operations.operation import Operation
from pellucid.surfaces.asking import WritableField, writable
from pellucid.surfaces.commands import Spelling
from pellucid.surfaces.http.refusals import HttpError
from pellucid.surfaces.requests import request_of, wire_flag

_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Route:
    """One way to an operation."""

    row: Operation[Any, Any]
    method: str
    path: str
    """With the fields that it names in braces, by their JSON names."""
    fields: Mapping[str, WritableField]
    """What stands in the query, or in the body, by JSON names: what the path does not name."""
    in_path: tuple[str, ...]

    @property
    def is_of_home(self) -> bool:
        """Whether it is asked of the whole home, and of no namespace."""
        return "namespace" not in self.row.input.model_fields

    @property
    def has_body(self) -> bool:
        """Whether the fields stand in a body."""
        return self.method != "GET"

    @property
    def parts(self) -> tuple[str, ...]:
        """The segments of the path."""
        return tuple(self.path.split("/"))


def routes_of(rows: Iterable[Operation[Any, Any]]) -> Iterator[Route]:
    """Every route of these operations."""
    for row in rows:
        for each in row.on.http:
            method, _, path = each.partition(" ")
            named = tuple(map(to_camel, _FIELD.findall(path)))
            known = writable(row)
            inner = {known[name].within for name in known if name not in named} - {""} if named else set[str]()
            fields = {name: at for name, at in known.items() if name not in named and at.within not in inner}
            yield Route(row, method, _FIELD.sub(lambda at: f"{{{to_camel(at[1])}}}", path), fields, named)


class Routes:
    """Finds the route of a request."""

    def __init__(self, rows: Iterable[Operation[Any, Any]]) -> None:
        # a word of the path is found before a field in its place
        self.all = sorted(routes_of(rows), key=lambda each: [part.startswith("{") for part in each.parts])

    def find(self, method: str, raw_path: bytes) -> tuple[Route, dict[str, str]]:
        """The route, and what the path says of its fields.

        Raises:
            HttpError: there is no such path (404), or not with this method (405).
            InputError: the path is not UTF-8.
        """
        try:
            words = [unquote_to_bytes(part).decode() for part in raw_path.split(b"/")]
        except UnicodeDecodeError as error:
            raise InputError("the path is not UTF-8", code="invalid_text") from error
        here = [each for each in self.all if _fits(each.parts, words)]
        asked = "GET" if method == "HEAD" else method
        for each in here:
            if each.method == asked:
                pairs = zip(each.parts, words, strict=True)
                return each, {part[1:-1]: word for part, word in pairs if part.startswith("{")}
        if here:
            methods = sorted({each.method for each in here})
            raise HttpError(405, "wrong_method", f"this path takes {', '.join(methods)}", Allow=", ".join(methods))
        raise HttpError(404, "not_found", "there is no such path", "GET /openapi.json names all there are")


def _fits(parts: tuple[str, ...], words: list[str]) -> bool:
    return len(parts) == len(words) and all(
        bool(word) if part.startswith("{") else part == word for part, word in zip(parts, words, strict=True)
    )


def _spelled(words: str) -> str | None:
    request = request_of(words)
    taking = [each for each in routes_of([request.row] if request else []) if request and _takes(each, request.fields)]
    if request is None or not taking:
        return None
    route = max(taking, key=lambda each: len(each.in_path))
    path, fields = route.path, dict(request.fields)
    for name in route.in_path:
        path = path.replace(f"{{{name}}}", quote(str(fields.pop(name)), safe=""))
    query = {} if route.has_body else fields
    query |= {"namespace": request.namespace} if request.namespace else {}
    said = f"{route.method} {path}{f'?{urlencode(query, doseq=True)}' if query else ''}"
    return f"{said} {json.dumps(fields, ensure_ascii=False)}" if route.has_body and fields else said


def _takes(route: Route, fields: Mapping[str, object]) -> bool:
    return fields.keys() <= {*route.fields, *route.in_path} and fields.keys() >= set(route.in_path)


SPELLING = Spelling(_spelled, partial(wire_flag, as_json="format=json", fields=writable))
"""A command as a request: its method, its path, and its body where it has one."""
