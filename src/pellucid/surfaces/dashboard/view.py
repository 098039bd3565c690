"""A page's request in, the answers of the operations it asks out: pages are made of such answers alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from pydantic.alias_generators import to_camel

from pellucid.deadline import Deadline
from pellucid.errors import NotFoundError
from pellucid.model.memory import Memory
from pellucid.operations.memory.trusting import TRUST_EXPLAIN
from pellucid.operations.operation import Call, Operation
from pellucid.surfaces import inputs
from pellucid.surfaces.host import Host
from pellucid.surfaces.http.gate import Caller, allowed_namespace

ROOT = "/ui"


@dataclass(frozen=True, slots=True)
class PageView:
    """One request for a page: the caller, the namespace, and the means to ask operations."""

    host: Host
    caller: Caller
    namespace: str
    """The namespace of the page's memories; empty on pages of the whole home."""
    named: Mapping[str, str]
    """The values of the names in the page's path, such as a memory's id."""
    query: Mapping[str, str]
    """The query of the address: filters, the place in a list."""
    deadline: Deadline
    path: str
    """Of the page itself."""

    def ask(self, row: Operation[Any, Any], **fields: object) -> Any:
        """Return the answer of an operation in the page's namespace; `fields` are input fields by their Python names.

        Fields that are None or "" are left out; `PellucidError` if the caller is not allowed to ask it, or it cannot
        answer.
        """
        call = self.call(row)
        values = {to_camel(name): value for name, value in fields.items() if value not in (None, "")}
        return row.perform(call, inputs.input_from_json(call, row, values))

    def call(self, row: Operation[Any, Any]) -> Call:
        """Make a call of this operation in the page's namespace, or of the whole home if the operation is about that.
        `PellucidError` if the caller is not allowed to run it there.
        """
        if "namespace" not in row.input.model_fields:
            allowed_namespace(self.caller, row.access, "*")
            return Call.over(self.host.app, self.deadline)
        call = self.host.call(allowed_namespace(self.caller, row.access, self.namespace), deadline=self.deadline)
        call.surface = "page"
        call.said_by = self.caller.speaks_as(self.namespace)
        return call

    def may(self, row: Operation[Any, Any]) -> bool:
        """Whether the caller is allowed to run this operation in the page's namespace or, if the operation takes none,
        as it is about the whole home, in every namespace.
        """
        place = self.namespace if "namespace" in row.input.model_fields else "*"
        return self.caller.may(row.access, place)

    def href(self, path: str = "", namespace: str | None = None, **query: object) -> str:
        """Return the address of the page `path` below a namespace (None: this page's, "": the home), with `query`.
        Query values that are None, "", False or 0 are left out.
        """
        place = self.namespace if namespace is None else namespace
        words = {name: value for name, value in query.items() if value not in (None, "", False)}
        address = f"{ROOT}/{quote(place)}/{quote(path)}" if place else f"{ROOT}/{quote(path)}"
        return f"{address.rstrip('/')}{f'?{urlencode(words, doseq=True)}' if words else ''}"

    def here(self, **changes: object) -> str:
        """Return the address of this page with some query values changed; None, "", False or 0 removes a value."""
        words = {name: value for name, value in {**self.query, **changes}.items() if value not in (None, "", False)}
        return f"{quote(self.path)}{f'?{urlencode(words, doseq=True)}' if words else ''}"


def memory_of(view: PageView, memory_id: str) -> Memory | None:
    """Return a memory by its id; None if it is gone. It is asked by an operation that, unlike `show`, does not count as
    a use of the memory.
    """
    try:
        return view.ask(TRUST_EXPLAIN, memory_id=memory_id).memory
    except NotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the dashboard: its path, its template, and the function that fills it."""

    path: str
    """Below the namespace (`/ui/tenant/project/…`), with what it names in braces; of the home with a leading `/`.

    A last name with `:path` behind it takes all that is left, slashes too: `sessions/{session_id:path}`.
    """
    template: str
    """A file of `templates/`."""
    build: Callable[[PageView], Mapping[str, object]]
    """Returns the values of the template, with the page's heading as `title`."""
    label: str = ""
    """Its name in the navigation; empty where it is reached from other pages alone."""

    @property
    def is_of_home(self) -> bool:
        """Whether it belongs to the home, not to a namespace."""
        return self.path.startswith("/")
