"""Routes in, the OpenAPI document out: its names and texts are those of the operations table."""

from collections.abc import Iterable
from importlib import metadata
from typing import Any, cast

from pydantic import TypeAdapter

from pellucid.surfaces import inputs
from pellucid.surfaces.answers import forms
from pellucid.surfaces.http.forms import MEDIA
from pellucid.surfaces.http.routes import Route

_NAMESPACE = "The isolation unit, tenant/project; else the only one that the token grants."
_FORM = "The form of the answer; else what `Accept` prefers."
_VERBOSE = "Also say what goes without saying, in text and Markdown."
_KEY = "Made up by the client: a repeated request with it is answered as before, and does nothing again."
_PROBLEM = {
    "type": "object",
    "required": ["error", "code", "message", "nextStep"],
    "properties": {name: {"type": "string"} for name in ("error", "code", "message", "nextStep", "traceId")},
}
_FAILURES = {
    "400": "A field is not allowed; the message names it.",
    "401": "No token that is known.",
    "403": "Less is granted here, or a page of another site asks.",
    "404": "Nothing of that name is readable here.",
    "409": "Somebody changed it first, or the Idempotency-Key was of another request.",
    "413": "The body is too large.",
    "503": "Too busy; ask again.",
    "504": "There was no time left for it.",
    "507": "The disk is full.",
}


def document(routes: Iterable[Route]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of these routes, as a JSON object."""
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Any] = {"Problem": _PROBLEM}
    for route in sorted(routes, key=lambda each: (each.path, each.method)):
        paths.setdefault(route.path, {})[route.method.lower()] = _hoist_definitions(_operation(route), schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pellucid", "version": metadata.version("pellucid")},
        "security": [{"token": []}],
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(route: Route) -> dict[str, Any]:
    """Return a route as an OpenAPI operation object. Its id is the operation's name; if the operation has several
    routes, the first word of the path after `/v1` follows after a dot. The first sentence of the help is the summary,
    the rest the description.
    """
    first, stop, rest = route.row.help.partition(". ")
    has_several_routes = len(route.row.on.http) > 1
    operation: dict[str, Any] = {
        "operationId": f"{route.row.name}{'.' + route.parts[2] if has_several_routes else ''}",
        "summary": f"{first}{stop.strip()}",
        "description": rest.strip() or first,
        "tags": [route.row.name.partition(".")[0]],
        "parameters": _parameters(route),
        "responses": _responses(route),
    }
    if inputs.file_field(route.row):
        operation["requestBody"] = {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    elif route.has_body:
        body = inputs.input_schema(route.row, list(route.fields))
        operation["requestBody"] = {"required": "required" in body, "content": {"application/json": {"schema": body}}}
    return operation


def _parameters(route: Route) -> list[dict[str, Any]]:
    """Return the OpenAPI parameter objects of a route: the fields in its path; its other fields in the query, if there
    is no body or the body is an upload; `namespace` unless the operation is about the whole home; `format` and
    `verbose`; the header Idempotency-Key if the operation writes and the method is not GET. Each schema has the input's
    `$defs`.
    """
    schema = inputs.input_schema(route.row)
    parameters = [_parameter(name, "path", schema["properties"][name], required=True) for name in route.in_path]
    if not route.has_body or inputs.file_field(route.row):
        parameters += [
            _parameter(name, "query", schema["properties"][name], required=each.is_required)
            for name, each in route.fields.items()
        ]
    if not route.is_of_home:
        parameters.append(_parameter("namespace", "query", {"type": "string", "description": _NAMESPACE}))
    offered = forms(route.row)
    parameters.append(_parameter("format", "query", {"type": "string", "enum": list(offered), "description": _FORM}))
    parameters.append(_parameter("verbose", "query", {"type": "boolean", "description": _VERBOSE}))
    if route.row.effect != "read" and route.has_body:
        key = {"type": "string", "minLength": 1, "maxLength": 255, "description": _KEY}
        parameters.append(_parameter("Idempotency-Key", "header", key))
    return [{**each, "schema": {**each["schema"], "$defs": schema.get("$defs", {})}} for each in parameters]


def _parameter(name: str, place: str, schema: dict[str, Any], *, required: bool = False) -> dict[str, Any]:
    """Return an OpenAPI parameter object; `place` is `path`, `query` or `header`."""
    description = schema.get("description", "")
    return {"name": name, "in": place, "required": required, "description": description, "schema": schema}


def _responses(route: Route) -> dict[str, Any]:
    """Return the OpenAPI response objects of a route by HTTP status: 200 with the answer in each format, and each error
    with the schema `Problem`. Only a missing X-ray (explanation of a recall, 404) is sent in the formats of the answer.
    """
    content: dict[str, Any] = {MEDIA[each]: {"schema": {"type": "string"}} for each in forms(route.row)}
    if "json" in forms(route.row):
        content[MEDIA["json"]] = {"schema": _answer_schema(route)}
    problem = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    failures = {status: {"description": text, "content": problem} for status, text in _FAILURES.items()}
    right = f"{route.row.access}{' everywhere' if route.is_of_home else ''}"
    failures["403"]["description"] = f"This takes {right}: less is granted here. Or a page of another site asks."
    if route.row.gives_xray:
        failures["404"] = {"description": "No such recall is readable here.", "content": content}
    return {"200": {"description": "The answer.", "content": content}, **failures}


def _answer_schema(route: Route) -> dict[str, Any]:
    """Return the JSON Schema of a route's answer, with its `$defs`. That of an X-ray (explanation of a recall) is under
    `snapshot`, beside the boolean `snapshotFound`.
    """
    output: Any = route.row.output
    schema = TypeAdapter[Any](output).json_schema(mode="serialization")
    if not route.row.gives_xray:
        return schema
    definitions = schema.pop("$defs", {})
    properties = {"snapshotFound": {"type": "boolean"}, "snapshot": schema}
    return {"type": "object", "properties": properties, "required": ["snapshotFound"], "$defs": definitions}


def _hoist_definitions(value: Any, schemas: dict[str, Any]) -> Any:
    """Return a copy of a JSON value without its `$defs`, at any depth. These are added, in the same way, to `schemas`,
    the schemas of the document's components, unless that has one of the same name already. References are changed to
    point to the components.
    """
    if isinstance(value, list):
        return [_hoist_definitions(each, schemas) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    table = cast("dict[str, Any]", value)
    for title, schema in table.get("$defs", {}).items():
        if title not in schemas:
            schemas[title] = {}  # known from here on, for it may refer to itself
            schemas[title] = _hoist_definitions(schema, schemas)
    out = {name: _hoist_definitions(each, schemas) for name, each in table.items() if name != "$defs"}
    if isinstance(reference := out.get("$ref"), str):
        out["$ref"] = reference.replace("#/$defs/", "#/components/schemas/")
    return out
