"""Rows of the operations table in, tools out: their inputs and answers, as MCP lists them.

A row names its tool, and after a colon its mode. A tool of several modes takes the fields of all of them; each field
says for which modes it is. Nothing is written here that a row says.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mcp_types as types

from pellucid.errors import Spelling
from pellucid.operations.operation import Operation, context_fields
from pellucid.surfaces.answers import forms
from pellucid.surfaces.inputs import agent_fields
from pellucid.surfaces.mcp.page import URI
from pellucid.surfaces.mcp.schemas import Schema, answer_schemas, field_schemas, merge_schemas
from pellucid.surfaces.spelling import SpelledRequest, program_spelling
from pellucid.table import OPERATIONS

Row = Operation[Any, Any]
MODE, NAMESPACE = "mode", "namespace"
_NAMESPACE_SCHEMA: Schema = {
    "type": "string",
    "description": "Another namespace (tenant/project) than the server's own.",
}


@dataclass(frozen=True, slots=True)
class About:
    """The properties of a tool that the table lacks: its title, when an agent should use it, and its default mode."""

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
    """A tool and its operations by their modes, the default mode first; by "" if it has no modes."""

    name: str
    about: About
    rows: Mapping[str, Row]

    @property
    def takes_namespace(self) -> bool:
        """Whether a call can name a namespace: at least one of its operations is about one."""
        return any(NAMESPACE in context_fields(row.input) for row in self.rows.values())

    @cached_property
    def listed(self) -> types.Tool:
        """The tool as `tools/list` shows it; linked to the page that shows X-rays (explanations of recalls) if its
        default mode answers with one. It counts as read-only if all of its operations take only the right to read, as
        destructive if one erases.
        """
        rows = self.rows.values()
        has_page = "html" in forms(next(iter(rows)))
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
            _meta={"ui": {"resourceUri": URI}} if has_page else None,
        )

    def _description(self) -> str:
        """Return when to use the tool, then what its operation does; with several modes, a line for each."""
        texts = {mode: " ".join(row.help.split()) for mode, row in self.rows.items()}
        if len(texts) == 1:
            return f"{self.about.when} {''.join(texts.values())}"
        return "\n".join([self.about.when, *(f"- {mode}: {text}" for mode, text in texts.items())])

    def _input(self) -> Schema:
        """Return the schema of the tool's arguments: every mode's fields, `mode` if there are several modes, and
        `namespace` if it takes one. A field is required if every mode requires it.
        """
        by_field: dict[str, dict[str, Schema]] = {}
        requiring_modes: dict[str, list[str]] = {}
        for mode, row in self.rows.items():
            for name, schema in field_schemas(row).items():
                by_field.setdefault(name, {})[mode] = schema
            for name, field in agent_fields(row).items():
                requiring_modes.setdefault(name, []).extend([mode] if field.is_required else [])
        modes = list(self.rows)
        mode_schema: Schema = {"type": "string", "enum": modes, "default": modes[0], "description": "What to do."}
        properties: dict[str, Schema] = {MODE: mode_schema} if len(modes) > 1 else {}
        properties |= {name: self._field(by_mode, requiring_modes[name]) for name, by_mode in by_field.items()}
        if self.takes_namespace:
            properties[NAMESPACE] = _NAMESPACE_SCHEMA
        always = [name for name, modes_of_field in requiring_modes.items() if modes_of_field == modes]
        return {"type": "object", "properties": properties, "required": always, "additionalProperties": False}

    def _field(self, by_mode: Mapping[str, Schema], requiring_modes: Sequence[str]) -> Schema:
        """Return the schema of one field, merged from `by_mode`, its schemas in the modes that take it.
        `requiring_modes` are the modes that require it. Its description begins with the modes that take it, unless all
        modes do, and all or none require it.
        """
        merged = merge_schemas(by_mode.values())
        if len(by_mode) == len(self.rows) and len(requiring_modes) in (0, len(self.rows)):
            return merged
        modes = [f"{mode} (required)" if mode in requiring_modes else mode for mode in by_mode]
        return {**merged, "description": f"{', '.join(modes)}: {merged.get('description', '')}".strip(": ")}

    def _output(self) -> Schema:
        """Return the schema of the tool's answer: the fields of every mode's answers. A field is required if all
        answers require it.
        """
        schemas = [schema for row in self.rows.values() for schema in answer_schemas(row)]
        by_name: dict[str, list[Schema]] = {}
        for schema in schemas:
            for name, part in schema.get("properties", {}).items():
                by_name.setdefault(name, []).append(part)
        shared = set[str].intersection(*(set(schema.get("required", ())) for schema in schemas))
        return {
            "type": "object",
            "properties": {name: merge_schemas(parts) for name, parts in by_name.items()},
            "required": [name for name in by_name if name in shared],
        }


def tools(rows: Sequence[Row] = OPERATIONS) -> dict[str, Tool]:
    """Return the tools of these operations by name, in the order of `TOOLS`, each with its default mode first; a tool
    without operations is left out. `KeyError` if a row names a tool that is not in `TOOLS`.
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


def _spell_request(request: SpelledRequest) -> str | None:
    """Write a request as a tool's call, such as `memory_forget {"preview": false}`: the tool's name and, if there are
    any, its arguments as JSON, with `mode` unless that is the tool's default, and `namespace` if the request names one.
    None if the operation has no tool, or agents are not offered one of the fields.
    """
    if not request.row.on.mcp or request.fields.keys() - agent_fields(request.row).keys():
        return None
    name, _, mode = request.row.on.mcp.partition(":")
    mode_argument = {MODE: mode} if mode != TOOLS[name].mode else {}
    namespace_argument = {NAMESPACE: request.namespace} if request.namespace else {}
    arguments = {**mode_argument, **request.fields, **namespace_argument}
    return f"{name} {json.dumps(arguments, ensure_ascii=False)}" if arguments else name


def spelling(row: Row | None = None) -> Spelling:
    """Return how texts write calls and fields for an agent: a call as a tool's name and its arguments, a field by its
    JSON name. `row` is the operation that the agent called, if known.
    """
    return program_spelling(_spell_request, "the tool's input schema", "the structured content", row)
