"""A `pellucid.toml` in, the settings that it is allowed to set out: all in the user's own home, few in a folder.

A folder's file can be a stranger's: it came with a clone or an archive. So a setting is closed to it unless its field
is declared `Harmless`; other settings in it are named and left out. A file that cannot be read or has an unknown
setting stops the command, because it can have been meant to name the namespace.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_camel, to_snake
from pydantic.fields import FieldInfo

from pellucid.errors import InputError
from pellucid.plain_file import read_plain_file

NAME = "pellucid.toml"
MOST_BYTES = 1 << 16
Table = dict[str, Any]
T = TypeVar("T")


class _HarmlessMark:
    """Marks a field in its metadata as one that a folder's file is allowed to set."""


Harmless = Annotated[T, _HarmlessMark()]
"""A setting that any folder's file may set: it names no address, path, command, model or pattern, decides nothing about
trust, redaction, capture or what is sent, and lasts no longer than the command."""


@dataclass(frozen=True, slots=True)
class FolderFile:
    """The settings in the file of a working folder: those that it is allowed to set, and the names of the others."""

    path: Path | None = None
    taken: Table = field(default_factory=dict[str, Any])
    ignored: tuple[str, ...] = ()

    def notes(self, home: Path, namespace: str | None) -> tuple[str, ...]:
        """Return messages for the user: one that names the ignored settings, if any, and where to set them instead (in
        `home`), and one if the file chose the namespace in force.

        `namespace` is that namespace; None if the file did not choose it. Empty if there is nothing to say.
        """
        out: list[str] = []
        if self.ignored:
            names = ", ".join(self.ignored)
            out.append(
                f"{self.path} may not set {names}: ignored, for a folder's file may be a stranger's;"
                f" if you mean it, set that in {home / NAME} or by environment variables"
            )
        if namespace:
            out.append(f"namespace {namespace}, because {self.path} says so")
        return tuple(out)


def is_harmless(known: FieldInfo) -> bool:
    """Whether a field is declared `Harmless`, so that a folder's file is allowed to set it."""
    return any(isinstance(each, _HarmlessMark) for each in known.metadata)


def read_own(path: Path) -> Table:
    """Read the user's own file as a table with snake-case keys; empty if there is none.

    Its settings are not checked. Raises InputError if it cannot be read, is not a regular file, is larger than 64 KiB,
    or is not TOML.
    """
    return in_snake_case(_read_table(path, "correct or remove it"))


def read_folder(path: Path, own: Path, model: type[BaseModel]) -> FolderFile:
    """Read those settings of `model` that a folder's file `path` sets: harmless ones are taken, the names of others
    noted as ignored (see `is_harmless`).

    The result is empty if the file is missing or is `own`, the user's own file. Raises InputError if it cannot be read,
    is not a regular file, is larger than 64 KiB, is not TOML, or names an unknown setting; values are not checked.
    """
    if not path.exists() or (own.exists() and path.samefile(own)):
        return FolderFile()
    ignored: list[str] = []
    taken = _harmless_settings(
        _read_table(path, "correct or remove it, or work in another folder"), model, (), ignored, path
    )
    return FolderFile(path, taken, tuple(ignored))


def _harmless_settings(
    table: Table, model: type[BaseModel], at: tuple[str, ...], ignored: list[str], path: Path
) -> Table:
    """Return the harmless settings of a table, nested as in it, with snake-case keys; append the full names of the
    other ones to `ignored`. A plain value in place of a section is returned, too, so that validation refuses it.

    `model` is the section's class, `at` the names of the sections that the table is in, outermost first, `path` the
    file for the message. Raises InputError for an unknown setting.
    """
    out: Table = {}
    for key, value in table.items():
        name = to_snake(key)
        where = (*at, to_camel(name))
        known = model.model_fields.get(name)
        if known is None:
            raise InputError(
                f"{path}: there is no setting {'.'.join(where)[:100]!r}",
                code="invalid_setting",
                next_step="see docs/settings.md; correct or remove it, or work in another folder",
            )
        inner = section(known.annotation)
        if inner and isinstance(value, dict):
            out[name] = _harmless_settings(cast("Table", value), inner, where, ignored, path)
        elif inner or is_harmless(known):  # a value in place of a section: validation refuses it
            out[name] = value
        else:
            ignored.append(".".join(where))
    return out


def names(table: Table, model: type[BaseModel]) -> Iterator[str]:
    """Yield the full names, such as `recall.topKFacts`, of the settings in a table with snake-case keys, also of
    unknown ones. The fields of `model` say which of the values are sections.
    """
    for key, value in table.items():
        known = model.model_fields.get(key)
        inner = section(known.annotation) if known else None
        if inner and isinstance(value, dict):
            yield from (f"{to_camel(key)}.{each}" for each in names(cast("Table", value), inner))
        else:
            yield to_camel(key)


def section(kind: object) -> type[BaseModel] | None:
    """Return a setting's type if it is a section (a subclass of BaseModel), else None."""
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _read_table(path: Path, next_step: str) -> Table:
    """Read a TOML file as a table with its keys as they are; empty if there is none.

    Raises InputError, whose next step is `next_step`, if it cannot be read, is not a regular file, is larger than 64
    KiB, or is not TOML.
    """
    try:
        data = read_plain_file(path, MOST_BYTES + 1)
        if data is None or len(data) > MOST_BYTES:
            why = "is no plain file" if data is None else f"is larger than {MOST_BYTES >> 10} KiB"
            raise InputError(f"{path} {why}", code="invalid_setting", next_step=next_step)
        return tomllib.loads(data.decode("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        why = f"{path} cannot be read: {error.strerror}"
        raise InputError(why, code="invalid_setting", next_step=next_step) from error
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, a number of too many digits, too deep a nest
        raise InputError(
            f"{path} is not valid TOML: {str(error)[:200]}", code="invalid_setting", next_step=next_step
        ) from error


def in_snake_case(table: Table) -> Table:
    """Return a table with its keys, and those of the tables in it, in snake case: `top_k_facts` for `topKFacts`."""
    return {
        to_snake(key): in_snake_case(cast("Table", value)) if isinstance(value, dict) else value
        for key, value in table.items()
    }


def merged(*layers: Table) -> Table:
    """Return a new table of these tables, merged section by section; of several values for a setting, the last one
    wins.

    A value replaces a section, but a section never replaces a value that is not a section: that value stays, so that
    validation refuses it.
    """
    result: Table = {}
    for layer in layers:
        for key, value in layer.items():
            former = result.get(key, {})
            if not isinstance(value, dict):
                result[key] = value
            elif isinstance(former, dict):  # else the wrong value below stays, and is refused
                result[key] = merged(cast("Table", former), cast("Table", value))
    return result


def wrong_setting(error: ValidationError) -> InputError:
    """Make an InputError of the first error in a validation of settings; it names the setting: `recall.topKFacts`."""
    first = error.errors()[0]
    where = ".".join(to_camel(str(part)) for part in first["loc"])
    return InputError(f"setting {where}: {first['msg']}", code="invalid_setting", next_step="see docs/settings.md")
