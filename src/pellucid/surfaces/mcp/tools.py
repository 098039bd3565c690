"""Rows of the operations table in, tools out: what they take and give, as MCP lists them.

A row names its tool, and behind a colon its mode. A tool of several modes takes the fields of all of them; each field
says for which modes it is. Nothing is written here that a row says.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import mcp_types as types

from pellucid.operations.operation import Operation, context_of
from pellucid.surfaces.answers import forms
from pellucid.surfaces.asking import offered
from pellucid.surfaces.commands import Spelling
from pellucid.surfaces.mcp.page import URI
from pellucid.surfaces.mcp.schemas import Schema, answer_schemas, field_schemas, together
from pellucid.surfaces.requests import request_of, wire_flag
from pellucid.table import OPERATIONS

Row = Operation[Any, Any]
MODE, NAMESPACE = "mode", "namespace"
_PLACE: Schema = {"type": "string", "description": "Another namespace (tenant/project) than the server's own."}


@dataclass(frozen=True, slots=True)
class About:
    """What no row says of a tool: its title, when an agent should use it, and the mode of calls that name none."""

    title: str
    when: str
    mode: str = ""


TOOLS: Mapping[str, About] = {
    "memory_recall": About(
        "Recall",
        "Use before you answer or act on anything that earlier sessions may have settled: decisions, preferences, "
        "names, past work, what was tried. Ask in whole words.",
    ),
    "memory_xray": About(
        "Explain a recall",
        "Use when somebody asks why something was remembered or not, or an answer looks wrong or incomplete.",
        "xray",
    ),
    "memory_remember": About(
        "Remember",
        "Use when the user states or settles something that should still hold next month, asks you to remember it, or "
        "corrects what is remembered. One statement a call, in whole words. Its other modes are for what agents wrote: "
        "what a person said is theirs to change.",
        "remember",
    ),
    "memory_observe": About(
        "Take in a session",
        "Use to hand over turns of this session where no hook does that, and to close a stretch of work.",
        "turns",
    ),
    "memory_cite": About(
        "Cite",
        "Use after you used a recalled memory, or found it useless or stale: this is how it is known what is worth "
        "keeping. Once a memory.",
    ),
    "memory_search": About(
        "Browse",
        "Use to look around rather than to answer a question: what there is of a kind, about a thing or from a time.",
        "memories",
    ),
    "memory_history": About(
        "Look at one memory",
        "Use to check a memory before you rely on it: what it says in full, where it comes from, how it changed.",
        "show",
    ),
    "memory_forget": About(
        "Forget",
        "Use only when the user wants something gone for good. Unless preview is false it only says what would go: "
        "show that, and ask first. What a person said only they forget: show them the preview.",
    ),
}
"""Every tool, in the order in which they are listed."""


@dataclass(frozen=True)
class Tool:
    """A tool: its rows by their modes, the mode of a call that names none first; without modes, its one row."""

    name: str
    about: About
    rows: Mapping[str, Row]

    @property
    def places(self) -> bool:
        """Whether a call may name a namespace."""
        return any(NAMESPACE in context_of(row.input) for row in self.rows.values())

    @property
    def paged(self) -> bool:
        """Whether what it answers first is shown as a page, too."""
        return "html" in forms(next(iter(self.rows.values())))

    @cached_property
    def listed(self) -> types.Tool:
        """As `tools/list` shows it."""
        rows = self.rows.values()
        page = {"ui": {"resourceUri": URI}} if self.paged else None
        return types.Tool(
            name=self.name,
            title=self.about.title,
            description=self._description(),
            input_schema=self._input(),
            output_schema=self._output(),
            annotations=types.ToolAnnotations(
                title=self.about.title,
                read_only_hint=all(row.access == "read" for row in rows),
                destructive_hint=any(row.effect == "erase" for row in rows),
                idempotent_hint=all(row.access == "read" or row.effect == "erase" for row in rows),
                open_world_hint=False,
            ),
            _meta=page,
        )

    def _description(self) -> str:
        if len(self.rows) == 1:
            return f"{self.about.when} {self._said(*self.rows)}"
        return "\n".join([self.about.when, *(f"- {mode}: {self._said(mode)}" for mode in self.rows)])

    def _said(self, mode: str) -> str:
        return " ".join(self.rows[mode].text.split())

    def _input(self) -> Schema:
        """The schema of what a tool takes: every mode's fields, and `mode` where there are several."""
        by_field: dict[str, dict[str, Schema]] = {}
        needed: dict[str, list[str]] = {}
        for mode, row in self.rows.items():
            for name, found in field_schemas(row).items():
                by_field.setdefault(name, {})[mode] = found
            for name, field in offered(row).items():
                needed.setdefault(name, []).extend([mode] if field.is_required else [])
        modes = list(self.rows)
        chosen: Schema = {"type": "string", "enum": modes, "default": modes[0], "description": "What to do."}
        properties: dict[str, Schema] = {MODE: chosen} if len(modes) > 1 else {}
        properties |= {name: self._field(by_mode, needed[name]) for name, by_mode in by_field.items()}
        if self.places:
            properties[NAMESPACE] = _PLACE
        always = [name for name, its_modes in needed.items() if its_modes == modes]
        return {"type": "object", "properties": properties, "required": always, "additionalProperties": False}

    def _field(self, by_mode: Mapping[str, Schema], needed: Sequence[str]) -> Schema:
        """One schema for all modes that take the field; its description begins with those, unless all do."""
        found = together(by_mode.values())
        if len(by_mode) == len(self.rows) and len(needed) in (0, len(self.rows)):
            return found
        modes = [f"{mode} (required)" if mode in needed else mode for mode in by_mode]
        return {**found, "description": f"{', '.join(modes)}: {found.get('description', '')}".strip(": ")}

    def _output(self) -> Schema:
        """The fields of every mode's answer; required is what all of them have."""
        schemas = [found for row in self.rows.values() for found in answer_schemas(row)]
        by_name: dict[str, list[Schema]] = {}
        for found in schemas:
            for name, part in found.get("properties", {}).items():
                by_name.setdefault(name, []).append(part)
        shared = set[str].intersection(*(set(found.get("required", ())) for found in schemas))
        return {
            "type": "object",
            "properties": {name: together(parts) for name, parts in by_name.items()},
            "required": [name for name in by_name if name in shared],
        }


def tools(rows: Sequence[Row] = OPERATIONS) -> dict[str, Tool]:
    """The tools of a table by name, in order.

    Raises:
        KeyError: a row names a tool that `TOOLS` does not.
    """
    by_tool: dict[str, dict[str, Row]] = {name: {} for name in TOOLS}
    for row in rows:
        if row.on.mcp:
            name, _, mode = row.on.mcp.partition(":")
            by_tool[name][mode] = row
    return {
        name: Tool(name, about, dict(sorted(by_tool[name].items(), key=lambda each: each[0] != about.mode)))
        for name, about in TOOLS.items()
        if by_tool[name]
    }


def _spelled(words: str) -> str | None:
    request = request_of(words)
    if request is None or not request.row.on.mcp or request.fields.keys() - offered(request.row).keys():
        return None
    name, _, mode = request.row.on.mcp.partition(":")
    chosen = {MODE: mode} if mode != TOOLS[name].mode else {}
    place = {NAMESPACE: request.namespace} if request.namespace else {}
    given = {**chosen, **request.fields, **place}
    return f"{name} {json.dumps(given, ensure_ascii=False)}" if given else name


SPELLING = Spelling(_spelled, partial(wire_flag, as_json="the structured content", fields=offered))
"""A command as the call of a tool: its name, and its arguments where there are any."""
