"""The operations and the settings in, `commands.json`, docs/cli.md, docs/http-routes.md and docs/settings.md out.

With `--check` nothing is written; stale pages, and settings and commands without a description, are reported.
"""

import argparse
import enum
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin

import typer.main
from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from pellucid.errors import PellucidError
from pellucid.settings import Settings
from pellucid.settings.files import is_harmless, section
from pellucid.surfaces import command_line, inputs
from pellucid.surfaces.cli import app as typer_app
from pellucid.surfaces.cli import derived
from pellucid.surfaces.command_line import INDEX
from pellucid.surfaces.http.routes import Route, routes_of
from pellucid.table import OPERATIONS

NOTE = "<!-- Written by tools/docs_reference.py from the code; change that and run `make docs`. -->\n"
SETTINGS_HEAD = """# Settings

A flag of the command line wins over the environment, the environment over `pellucid.toml` in the working directory,
that over `pellucid.toml` in Pellucid's home, and that over the default. They are read once, when a process starts.

## Which file may set what

The file in Pellucid's home (`PELLUCID_HOME`, else `~/.pellucid`) is yours, and may set everything. The file in the
working directory may be a stranger's, for it comes along with a clone or an archive. It sets only what has a *yes*
under *any folder*; a new setting is closed to it until somebody decides otherwise. What else it names is left out,
and each command says so in one line on standard error (file, settings, where to put them instead), with `--json`,
too; `doctor` says it among its notes, and the `Pellucid` class as a Python warning. Folders above the working
directory are not looked at, and no `.env` file is read.

Where nobody names a namespace, a folder asks its project ([projects.md](projects.md)), or `local/default`.

A folder may choose the namespace, for that is how a project keeps its memories apart. So a folder that you do not
know can choose a namespace of yours: each command that reads or writes one for that reason says which, and whose word
that was. Where that is not enough, as for an agent that works in strange folders, fix the namespace by `--namespace`
or `PELLUCID_NAMESPACE`, which win.

A file that cannot be read, is no TOML, is larger than 64 KiB or names a setting that there is not stops the command,
wherever it stands: it may have meant to name the namespace, and a guess could file memories under another. A link is
followed; a pipe or a device is refused. If the home is the working directory, its file is yours. A relative
`PELLUCID_HOME` means another home in each folder, and trusts what it finds there.
"""
CLI_HEAD = """# Command line

Every command takes `--help`. It ends with one of these exit codes; `code` is the same word on every surface.

| exit code | code | meaning |
|---|---|---|
| 0 |  | Done. |"""
TYPES = {int: "whole number", float: "number", str: "text", bool: "true or false", Path: "path"}
BOUNDS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


@dataclass(frozen=True, slots=True)
class Section:
    """One table of settings: its TOML heading (empty for the top), its prefix of variables, its meaning, its plain
    fields."""

    toml: str
    environment: str
    meaning: str
    fields: dict[str, FieldInfo]


def sections(model: type[BaseModel] = Settings, path: tuple[str, ...] = ()) -> Iterator[Section]:
    """Yield the sections of the settings, outer ones first."""
    nested = {name: kind for name, f in model.model_fields.items() if (kind := section(f.annotation))}
    plain = {name: f for name, f in model.model_fields.items() if name not in nested}
    environment = "PELLUCID_" + "".join(f"{part.upper()}__" for part in path)
    yield Section(".".join(map(to_camel, path)), environment, model.__doc__ or "", plain)
    for name, kind in nested.items():
        yield from sections(kind, (*path, name))


def settings_page() -> str:
    """Return the text of docs/settings.md."""
    page = [NOTE, SETTINGS_HEAD]
    for table in sections():
        page.append(f"## `[{table.toml}]`\n" if table.toml else "## Top level\n")
        page.append(f"{table.meaning.strip()}\n")
        page.append(
            "| `pellucid.toml` | environment | any folder | type | default | meaning |\n|---|---|---|---|---|---|"
        )
        page.extend(_setting_row(table, name, field) for name, field in table.fields.items())
        page.append("")
    return "\n".join(page)


def _setting_row(table: Section, name: str, field: FieldInfo) -> str:
    """Return a setting's row of the table."""
    limits = [f"{BOUNDS[k]} {getattr(m, k)}" for m in field.metadata for k in BOUNDS if hasattr(m, k)]
    kind = ", ".join([_type_name(field.annotation), *limits])
    folder = "yes" if is_harmless(field) else ""
    cells = f"`{to_camel(name)}`", f"`{table.environment}{name.upper()}`", folder, kind, _default(field.default)
    return _row(*cells, field.description or "")


def _type_name(annotation: Any) -> str:
    """Return a type in words: `list of text` for `tuple[str, ...]`."""
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{choice}`" for choice in get_args(annotation))
    if get_origin(annotation) in {tuple, list}:
        return f"list of {_type_name(get_args(annotation)[0])}"
    if get_origin(annotation) is UnionType:
        return " or ".join(map(_type_name, get_args(annotation)))
    return TYPES.get(annotation) or str(annotation)


def _default(value: object) -> str:
    """Return a default value as the page shows it; empty if there is none."""
    if value is None or value is PydanticUndefined or callable(value):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple | list):
        return "empty" if not value else ", ".join(f"`{item}`" for item in value)
    return f"`{value.value if isinstance(value, enum.Enum) else value}`"


def _row(*cells: str) -> str:
    """Return the cells as a row of a Markdown table."""
    inline = (" ".join(cell.split()).replace("|", r"\|") for cell in cells)
    return f"| {' | '.join(inline)} |"


def errors(error: type[PellucidError] = PellucidError) -> Iterator[type[PellucidError]]:
    """Yield the error classes, a parent before its children."""
    yield error
    for child in error.__subclasses__():
        if child.__module__ == PellucidError.__module__:  # a room's own error class is reported as its parent
            yield from errors(child)


def _code(error: type[PellucidError]) -> str:
    """Return the code of an error class."""
    return error("").code


def commands(command: Any, name: str = "pellucid") -> Iterator[tuple[str, Any]]:
    """Yield the command and all visible ones below it, each with the words that call it."""
    yield name, command
    for word, child in sorted(getattr(command, "commands", {}).items()):
        if not child.hidden:
            yield from commands(child, f"{name} {word}")


def cli_page(app: Any) -> str:
    """Return the text of docs/cli.md."""
    page = [NOTE, CLI_HEAD, *(_row(str(e.exit_code), f"`{_code(e)}`", e.__doc__ or "") for e in errors()), ""]
    for name, command in commands(app):
        page.append(f"## `{name}`\n\n{_help(command)}\n\n```text\n{name}{_usage(command)}\n```\n")
        if shown := [param for param in command.params if not getattr(param, "hidden", False) and param.name != "help"]:
            page.append("| argument or option | default | meaning |\n|---|---|---|")
            page.extend(_row(f"`{_spelling(param)}`", _default(param.default), param.help or "") for param in shown)
            page.append("")
    return "\n".join(page)


ROUTES_HEAD = """# Routes

What each path takes and gives in full is at `/openapi.json` of a server; how to ask is in [http.md](http.md). Every
path but those of the whole home also takes `namespace`, and every one `format` and `verbose`. A GET takes its fields in
the query, any other in a JSON body.

| path | what it does | takes | needs |
|---|---|---|---|"""


def routes_page() -> str:
    """Return the text of docs/http-routes.md."""
    rows = sorted(routes_of(OPERATIONS), key=lambda each: (each.path, each.method))
    return "\n".join([NOTE, ROUTES_HEAD, *map(_route_row, rows), ""])


def _route_row(route: Route) -> str:
    """Return a route's row of the table."""
    takes = [f"**`{name}`**" if each.is_required else f"`{name}`" for name, each in route.fields.items()]
    takes = ["the transcript", *takes] if inputs.file_field(route.row) else takes
    needs = f"{route.row.access}, everywhere" if route.is_of_home else route.row.access
    summary = route.row.help.partition("\n")[0].partition(". ")[0].rstrip(".")
    return _row(f"`{route.method} {route.path}`", summary, ", ".join(takes), needs)


def _help(command: Any) -> str:
    """Return a command's help without what comes after a form feed."""
    return (command.help or "").split("\f")[0].strip()


def _usage(command: Any) -> str:
    """Return the arguments of a command as its usage line shows them."""
    arguments = [_spelling(param) for param in command.params if param.param_type_name == "argument"]
    words = [*arguments, "[OPTIONS]", *(["COMMAND"] if hasattr(command, "commands") else [])]
    return "".join(f" {word}" for word in words)


def _spelling(param: Any) -> str:
    """Return an argument or the options of a parameter as the page shows them."""
    if param.param_type_name == "argument":
        word = param.metavar or param.name.upper()
        return (word if param.required else f"[{word}]") + ("..." if param.nargs == -1 else "")
    return ", ".join([*param.opts, *param.secondary_opts])


def undocumented_settings() -> Iterator[str]:
    """Yield a message for each setting without a description."""
    for table in sections():
        for name, field in table.fields.items():
            if not field.description:
                yield f"setting {'.'.join(filter(None, [table.toml, to_camel(name)]))} has no description"


def undocumented_commands(app: Any) -> Iterator[str]:
    """Yield a message for each command, argument and option without help."""
    for name, command in commands(app):
        if not _help(command):
            yield f"command {name} has no help"
        for param in command.params:
            if not getattr(param, "help", None) and param.name != "help":
                yield f"{_spelling(param)} of {name} has no help"


def _write_page(path: Path, text: str, *, check: bool) -> Iterator[str]:
    """Write a file if its text is not this one; with `check`, yield a message instead."""
    if path.exists() and path.read_text("utf-8") == text:
        return
    if check:
        yield f"{'' if path == INDEX else 'docs/'}{path.name} is stale; run make docs"
    else:
        path.write_text(text, "utf-8")


def main() -> int:
    """Write the pages, or with `--check` compare them; return 1 if something is to be done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--docs", type=Path, default=Path(__file__).parents[1] / "docs")
    options = parser.parse_args()
    messages = list(undocumented_settings())
    stale = [*_write_page(INDEX, derived.commands_json(), check=options.check)]
    command_line.sections.cache_clear()
    command_line.commands.cache_clear()
    app = typer.main.get_command(typer_app)
    stale += _write_page(options.docs / "settings.md", settings_page(), check=options.check)
    stale += _write_page(options.docs / "http-routes.md", routes_page(), check=options.check)
    stale += _write_page(options.docs / "cli.md", cli_page(app), check=options.check)
    messages += [*undocumented_commands(app), *stale]
    print("\n".join(messages) or "the references are true")
    return bool(messages)


if __name__ == "__main__":
    sys.exit(main())
