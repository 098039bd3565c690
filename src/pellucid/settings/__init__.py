"""Flags, environment and `pellucid.toml` in, one frozen settings object out: the only reader of the environment.

Precedence: flag > `PELLUCID_*` > `pellucid.toml` (working directory, then home) > default. The working directory's file
sets only `Harmless` settings; every other setting is closed to it. Nested fields are written
`PELLUCID_RECALL__TOP_K_FACTS` and `[recall] topKFacts`.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator
from pydantic.alias_generators import to_camel, to_snake

from pellucid.errors import InputError, field_name
from pellucid.settings import files
from pellucid.settings.sections import (
    NAMESPACE_PATTERN,
    CaptureSettings,
    GraphSettings,
    HistorySettings,
    HookSettings,
    LifecycleSettings,
    LlmSettings,
    ObserveSettings,
    ProjectSettings,
    RecallSettings,
    RerankSettings,
    ServerSettings,
    StoreSettings,
    TelemetrySettings,
    TrustSettings,
)

_PREFIX = "PELLUCID_"
_BETWEEN = "__"


class Settings(BaseModel):
    """All settings. Frozen: read once, passed down."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)
    home: Path = Field(default=Path("~/.pellucid"), description="Holds the vault, the databases and the model cache.")
    namespace: files.Harmless[str] = Field(
        default="local/default", pattern=NAMESPACE_PATTERN, description="The isolation unit, tenant/project."
    )
    recall: RecallSettings = RecallSettings()
    rerank: RerankSettings = RerankSettings()
    capture: CaptureSettings = CaptureSettings()
    history: HistorySettings = HistorySettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    observe: ObserveSettings = ObserveSettings()
    llm: LlmSettings = LlmSettings()
    lifecycle: LifecycleSettings = LifecycleSettings()
    graph: GraphSettings = GraphSettings()
    trust: TrustSettings = TrustSettings()
    store: StoreSettings = StoreSettings()
    server: ServerSettings = ServerSettings()
    projects: ProjectSettings = ProjectSettings()
    hooks: HookSettings = HookSettings()
    _notes: tuple[str, ...] = PrivateAttr(default=())
    _sources: dict[str, str] = PrivateAttr(default_factory=dict[str, str])

    @property
    def notes(self) -> tuple[str, ...]:
        """Messages for the user about the working folder's `pellucid.toml`: one names the settings that it is not
        allowed to set, one the namespace that it chose. Empty if there is nothing to say.
        """
        return self._notes

    @property
    def sources(self) -> Mapping[str, str]:
        """Maps the full name of each setting that somebody gave, such as `recall.topKFacts`, to its source.

        A source is the path of a file, the name of an environment variable, "this command", or "this run" (see
        `changed`). A section that was given as a flag is in it by the section's name; settings left at their default
        are not.
        """
        return self._sources

    @property
    def namespace_is_given(self) -> bool:
        """Whether a flag, the environment, a `pellucid.toml`, `naming` or `changed` set the namespace.

        False after `in_project`.
        """
        return "namespace" in self.model_fields_set

    def in_project(self, namespace: str) -> "Settings":
        """Return a copy with the namespace of a project, which is not checked; its `namespace_is_given` is false."""
        copy = self.model_copy(update={"namespace": namespace})
        copy.model_fields_set.discard("namespace")
        return copy

    def naming(self, namespace: str) -> "Settings":
        """Return a copy with a namespace that the caller names, such as `local/default`.

        Its `namespace_is_given` is true. Raises InputError if the namespace is malformed.
        """
        if not re.fullmatch(NAMESPACE_PATTERN, namespace):
            raise InputError(
                f'{field_name("namespace")} expects tenant/project; got "{namespace}"',
                code="invalid_namespace",
                next_step="lower-case letters, digits, dot, dash and underscore, e.g. local/default",
            )
        return self.model_copy(update={"namespace": namespace})

    def noting(self, notes: tuple[str, ...], sources: Mapping[str, str]) -> "Settings":
        """Set the properties `notes` and `sources` of these settings, in place of earlier values, and return the same
        object.
        """
        self._notes, self._sources = notes, dict(sources)
        return self

    @field_validator("home")
    @classmethod
    def _expand(cls, home: Path) -> Path:
        """Expand `~` and make the home's path absolute; raise `InputError` for the home of an unknown user."""
        try:
            return home.expanduser().absolute()
        except RuntimeError as error:
            raise InputError(
                f"the home {home} cannot be found: {error}", code="invalid_home", next_step="name another folder"
            ) from error


def load(**flags: Any) -> Settings:
    """Load the settings of this process: flags win over environment, environment over files, files over defaults.

    Of the files, the working folder's wins over the home's as far as it is allowed to set something. `flags` are fields
    of `Settings` by name, sections as tables with snake-case keys; None is ignored, as are environment variables that
    are empty or whose first part is no field. Raises InputError that names the setting, if one is unknown or its value
    is wrong, or the file, if a file cannot be read, is no plain file, is larger than 64 KiB or is not TOML.
    """
    set_flags = {name: value for name, value in flags.items() if value is not None}
    try:
        environment = _read_environment()
        home = Settings(**{k: v for k, v in files.merged(environment, set_flags).items() if k == "home"}).home
        folder = _working_folder_file(home / files.NAME)
        own_table = files.read_own(home / files.NAME)
        settings = Settings(**files.merged(own_table, folder.taken, environment, set_flags))
        default = Settings.model_fields["namespace"].default
        own_namespace = files.merged({"namespace": default}, own_table, environment, set_flags)["namespace"]
        sources = {name: str(home / files.NAME) for name in files.names(own_table, Settings)}
        sources |= {name: str(folder.path) for name in files.names(folder.taken, Settings)}
        sources |= {name: variable(name) for name in files.names(environment, Settings)}
        sources |= dict.fromkeys(map(to_camel, set_flags), "this command")
        return settings.noting(
            folder.notes(home, settings.namespace if settings.namespace != own_namespace else None), sources
        )
    except ValidationError as error:
        raise files.wrong_setting(error) from error


def variable(name: str) -> str:
    """Return the environment variable of a setting: `PELLUCID_RECALL__TOP_K_FACTS` for `recall.topKFacts`."""
    return _PREFIX + _BETWEEN.join(to_snake(part).upper() for part in name.split("."))


def _read_environment() -> files.Table:
    """Return the settings that `PELLUCID_*` variables, in any case, give, as nested tables with snake-case keys.

    Empty variables, and those whose first part is not a field of `Settings`, are ignored. An unknown name within a
    section stays, so that validation refuses it.
    """
    found: files.Table = {}
    for name, text in sorted(os.environ.items()):  # a whole section before its single settings
        head, prefix, rest = name.upper().partition(_PREFIX)
        path = rest.lower().split(_BETWEEN)
        if text and prefix and not head and path[0] in Settings.model_fields:
            value = _read_value(text, path)
            for part in reversed(path):
                value = {part: value}
            found = files.merged(found, cast("files.Table", value))
    return files.in_snake_case(found)


def _read_value(text: str, path: Sequence[str]) -> object:
    """Parse a variable's text as JSON if `path`, the names of a setting and its sections in snake case, leads to a
    list, a table or a section.

    Return the text itself for other settings, and if it is not JSON.
    """
    kind: object = Settings
    for part in path:
        inner = files.section(kind)
        known = inner.model_fields.get(part) if inner else None
        kind = known.annotation if known else (get_args(kind) or (None,))[-1]  # of a table, the type of its values
    try:
        return json.loads(text) if _holds_many(kind) else text
    except (ValueError, RecursionError):  # validation refuses it
        return text


def _holds_many(kind: object) -> bool:
    """Whether a setting of this type is or can be (in a union) a section, a list or a table."""
    return bool(files.section(kind)) or get_origin(kind) in (tuple, dict) or any(map(_holds_many, get_args(kind)))


def _working_folder_file(own_file: Path) -> files.FolderFile:
    """Read the `pellucid.toml` of the working directory.

    The result is empty if there is no such file or directory, or if the file is `own_file`, the one in the user's home.
    Raises InputError as `files.read_folder` does.
    """
    try:
        return files.read_folder(Path.cwd() / files.NAME, own_file, Settings)
    except FileNotFoundError:  # the working directory was removed
        return files.FolderFile()


def settings_hash(recall: RecallSettings) -> str:
    """Return 16 hex digits that identify the values of all recall settings in a receipt: equal for equal values."""
    text = json.dumps(recall.model_dump(mode="json"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def plain_terminal() -> bool:
    """Whether colours and progress bars are unwelcome: `NO_COLOR` is not empty, or `TERM` is `dumb`."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def exports_spans() -> bool:
    """Whether `OTEL_TRACES_EXPORTER` allows sending spans by OTLP: its list, parted by commas without blanks, has
    `otlp`, or it is not set. False if it is set to nothing."""
    return "otlp" in os.environ.get("OTEL_TRACES_EXPORTER", "otlp").split(",")


def program_environment(allowed: tuple[str, ...]) -> dict[str, str]:
    """Return the environment for a program that we start.

    It holds PATH, HOME, LANG, LC_ALL, LC_CTYPE and the `allowed` variables as far as they are set, and TERM=dumb unless
    TERM is allowed.
    """
    named = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", *allowed)
    return {"TERM": "dumb"} | {name: os.environ[name] for name in named if name in os.environ}
