"""The settings in, each with its value and where that came from out; of a secret only whether there is one."""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import BaseModel, SecretStr
from pydantic.alias_generators import to_camel

from pellucid.capture.secrets.redact import redact
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag, Operation, Surfaces
from pellucid.settings import Settings
from pellucid.settings.files import section

_DEFAULT = "default"
_SAID = "the program that runs"


class SettingsInput(Wire):
    """Which settings."""

    changed: Annotated[bool, Flag("Only those that somebody set.")] = False


class SettingRow(Wire):
    """One setting, as it is in force."""

    name: str
    """With its section, as in `pellucid.toml`: `recall.topKFacts`."""
    value: str
    """As JSON; of a secret `set` or `not set`. A secret that stands in another value is taken out."""
    default: str
    source: str
    """`default`, or where it was set: a file, an environment variable, `this command`, `the program that runs`."""
    text: str
    """What it is for."""


class SettingsOutput(Wire):
    """Every setting in force where the question is answered: a server's are those that it was started with."""

    settings: tuple[SettingRow, ...]


def list_settings(settings: Settings, *, changed: bool = False) -> SettingsOutput:
    """List the settings with their values and sources; with `changed`, only those that do not come from the default."""
    rows = _rows(settings, settings.sources, "")
    return SettingsOutput(settings=tuple(row for row in rows if not changed or row.source != _DEFAULT))


def _rows(held: BaseModel, sources: Mapping[str, str], above: str) -> Iterator[SettingRow]:
    """Yield a row for each setting of a section and of the sections in it; `above` is its name with a dot, such as
    `observe.`, or "" for all settings."""
    for name, field in type(held).model_fields.items():
        where, value = f"{above}{to_camel(name)}", getattr(held, name)
        if section(field.annotation):
            yield from _rows(value, sources, f"{where}.")
            continue
        usual, shown = _setting_text(field.get_default(call_default_factory=True)), _setting_text(value)
        source = sources.get(where) or (_DEFAULT if shown == usual else _SAID)
        yield SettingRow(name=where, value=shown, default=usual, source=source, text=field.description or "")


def _setting_text(value: object) -> str:
    """Render a value as JSON with secrets redacted; a secret setting as `set` or `not set`."""
    if isinstance(value, SecretStr):
        return "set" if value.get_secret_value() else "not set"
    return redact(json.dumps(value, ensure_ascii=False, default=str)).text


SETTINGS = Operation(
    "home.settings",
    "Show every setting in force, and where it was set. Of a secret only whether there is one.",
    SettingsInput,
    SettingsOutput,
    lambda call, asked: list_settings(call.settings, changed=asked.changed),
    "read",
    Surfaces("settings", http=("GET /v1/settings",)),
    as_it_stands=True,
    needs="admin",
)
