"""The settings in, a row each with its value and source out; of a secret only whether it is set."""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import BaseModel, SecretStr
from pydantic.alias_generators import to_camel

from pellucid.capture.secrets.redact import redact
from pellucid.model.wire import Wire
from pellucid.operations.operation import Call, Flag, Operation, Surfaces, Text
from pellucid.settings.files import section

_DEFAULT = "default"
_SAID = "the program that runs"


class SettingsInput(Wire):
    """Whether to list all settings, or only some."""

    changed: Annotated[bool, Flag("Only those that somebody set.")] = False


class SettingRow(Wire):
    """One setting, as it is in force."""

    name: str
    """Its name after its section, as in `pellucid.toml`: `recall.topKFacts`."""
    value: str
    """Its value as JSON; of a secret setting `set` or `not set`. Secrets within other values are redacted."""
    default: str
    source: str
    """`default`, or where it was set: a file, an environment variable, `this command`, `the program that runs`."""
    text: str
    """Its description."""


class SettingsOutput(Wire):
    """The settings in force in the process that answers: a server's settings are those that it was started with."""

    settings: tuple[SettingRow, ...]


def list_settings(call: Call, request: SettingsInput) -> SettingsOutput:
    """List the call's settings with their values and sources; with `changed`, only those that do not come from the
    default."""
    rows = _rows(call.settings, call.settings.sources, "")
    return SettingsOutput(settings=tuple(row for row in rows if not request.changed or row.source != _DEFAULT))


def _rows(settings: BaseModel, sources: Mapping[str, str], prefix: str) -> Iterator[SettingRow]:
    """Yield a row for each setting of `settings` and of the sections in it. `sources` maps full names to sources;
    `prefix` is the section's full name and a dot, such as `observe.`, or "" for all settings."""
    for name, field in type(settings).model_fields.items():
        full_name, value = f"{prefix}{to_camel(name)}", getattr(settings, name)
        if section(field.annotation):
            yield from _rows(value, sources, f"{full_name}.")
            continue
        default, shown = _setting_text(field.get_default(call_default_factory=True)), _setting_text(value)
        source = sources.get(full_name) or (_DEFAULT if shown == default else _SAID)
        yield SettingRow(name=full_name, value=shown, default=default, source=source, text=field.description or "")


def _setting_text(value: object) -> str:
    """Render a setting's value as JSON with secrets redacted; the value of a secret setting as `set` or `not set`."""
    if isinstance(value, SecretStr):
        return "set" if value.get_secret_value() else "not set"
    return redact(json.dumps(value, ensure_ascii=False, default=str)).text


SETTINGS = Operation(
    "home.settings",
    "Show every setting in force, and where it was set. Of a secret only whether there is one.",
    SettingsInput,
    SettingsOutput,
    list_settings,
    "read",
    Surfaces("settings", http=("GET /v1/settings",)),
    text=Text("everyday.settings_text"),
    as_it_stands=True,
    needs="admin",
)
