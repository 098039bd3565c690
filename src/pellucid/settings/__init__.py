"""Flags, environment and `pellucid.toml` in, one frozen settings object out: the only reader of the environment.

Precedence: flag > `PELLUCID_*` > `pellucid.toml` (working directory, then home) > default. The working directory's file
sets what is `Harmless` alone; every other setting is closed to it.
Nested fields are written `PELLUCID_RECALL__TOP_K_FACTS` and `[recall] topKFacts`.
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
from pellucid.settings.files import (
    NAME,
    FolderFile,
    Harmless,
    Table,
    in_snake_case,
    merged,
    names,
    read_folder,
    read_own,
    section,
    wrong_setting,
)
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
    """Everything that can be set. Frozen: read once, passed down."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)
    home: Path = Field(default=Path("~/.pellucid"), description="Holds the vault, the databases and the model cache.")
    namespace: Harmless[str] = Field(
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
        """What the user is to be told of where settings came from: what a folder's file chose, or may not set."""
        return self._notes

    @property
    def sources(self) -> Mapping[str, str]:
        """Where each setting that is no default came from, by its name with its sections: `recall.topKFacts`."""
        return self._sources

    @property
    def namespace_is_given(self) -> bool:
        """Whether somebody named the namespace: a flag, the environment, or a `pellucid.toml`. A project is no name."""
        return "namespace" in self.model_fields_set

    def in_project(self, namespace: str) -> "Settings":
        """These settings with a project's namespace, found by the folder: `namespace_is_given` stays false."""
        found = self.model_copy(update={"namespace": namespace})
        found.model_fields_set.discard("namespace")
        return found

    def naming(self, namespace: str) -> "Settings":
        """These settings with the namespace that the caller names: `namespace_is_given` is true.

        Raises:
            InputError: that is no name of a namespace.
        """
        if not re.fullmatch(NAMESPACE_PATTERN, namespace):
            raise InputError(
                f'{field_name("namespace")} expects tenant/project; got "{namespace}"',
                code="invalid_namespace",
                next_step="lower-case letters, digits, dot, dash and underscore, e.g. local/default",
            )
        return self.model_copy(update={"namespace": namespace})

    def noting(self, notes: tuple[str, ...], sources: Mapping[str, str]) -> "Settings":
        """These settings, with notes, and where each came from: `load` says so."""
        self._notes, self._sources = notes, dict(sources)
        return self

    @field_validator("home")
    @classmethod
    def _expand(cls, home: Path) -> Path:
        return home.expanduser().absolute()


def load(**flags: Any) -> Settings:
    """The settings of this process.

    Args:
        flags: command-line values, which win over everything; `None` means "not given".

    Raises:
        InputError: a value is out of range, or a file is not TOML; names the setting and where it came from.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        environment = _of_environment()
        home = Settings(**{k: v for k, v in merged(environment, given).items() if k == "home"}).home
        folder = _working_folder_file(home / NAME)
        own = read_own(home / NAME)
        found = Settings(**merged(own, folder.taken, environment, given))
        default = Settings.model_fields["namespace"].default
        without = merged({"namespace": default}, own, environment, given)["namespace"]
        sources = {name: str(home / NAME) for name in names(own, Settings)}
        sources |= {name: str(folder.path) for name in names(folder.taken, Settings)}
        sources |= {name: variable(name) for name in names(environment, Settings)}
        sources |= dict.fromkeys(map(to_camel, given), "this command")
        return found.noting(folder.notes(home, found.namespace if found.namespace != without else None), sources)
    except ValidationError as error:
        raise wrong_setting(error) from error


def variable(name: str) -> str:
    """The environment variable of a setting: `PELLUCID_RECALL__TOP_K_FACTS` of `recall.topKFacts`."""
    return _PREFIX + _BETWEEN.join(to_snake(part).upper() for part in name.split("."))


def _of_environment() -> Table:
    """What the variables set that are named after a setting; the others, and empty ones, say nothing."""
    found: Table = {}
    for name, text in sorted(os.environ.items()):  # a section before what stands in it
        head, prefix, rest = name.upper().partition(_PREFIX)
        path = rest.lower().split(_BETWEEN)
        if text and prefix and not head and path[0] in Settings.model_fields:
            value = _read_value(text, path)
            for part in reversed(path):
                value = {part: value}
            found = merged(found, cast("Table", value))
    return in_snake_case(found)


def _read_value(text: str, path: Sequence[str]) -> object:
    """A variable's text as it stands; of a setting that is a list, a table or a section, the JSON that it is."""
    kind: object = Settings
    for part in path:
        inner = section(kind)
        known = inner.model_fields.get(part) if inner else None
        kind = known.annotation if known else (get_args(kind) or (None,))[-1]  # of a table, what its values are
    try:
        return json.loads(text) if _holds_many(kind) else text
    except (ValueError, RecursionError):  # what is no JSON is refused with the rest
        return text


def _holds_many(kind: object) -> bool:
    return bool(section(kind)) or get_origin(kind) in (tuple, dict) or any(map(_holds_many, get_args(kind)))


def _working_folder_file(own: Path) -> FolderFile:
    """What the `pellucid.toml` of the working folder sets; nothing where that folder was removed."""
    try:
        return read_folder(Path.cwd() / NAME, own, Settings)
    except FileNotFoundError:  # the working directory was removed
        return FolderFile()


def settings_hash(recall: RecallSettings) -> str:
    """Sixteen hex digits that name a set of recall settings in a receipt."""
    text = json.dumps(recall.model_dump(mode="json"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def plain_terminal() -> bool:
    """Whether colours and progress bars are unwelcome (`NO_COLOR`, or a dumb terminal)."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def exports_spans() -> bool:
    """Whether the environment lets spans be sent by OTLP: `OTEL_TRACES_EXPORTER` names it, or nothing."""
    return "otlp" in os.environ.get("OTEL_TRACES_EXPORTER", "otlp").split(",")


def program_environment(allowed: tuple[str, ...]) -> dict[str, str]:
    """What of this environment a program that we start is given: the search path, home, locale, and what is allowed."""
    named = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", *allowed)
    return {"TERM": "dumb"} | {name: os.environ[name] for name in named if name in os.environ}
