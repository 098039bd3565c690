"""A page's request in, what it may ask out: every page is made of answers of operations, and of nothing else."""

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
from pellucid.surfaces import asking
from pellucid.surfaces.host import Host
from pellucid.surfaces.http.gate import Caller, allowed

ROOT = "/ui"


@dataclass(frozen=True, slots=True)
class View:
    """One request of a page: who looks at what, and how it asks the operations."""

    host: Host
    caller: Caller
    namespace: str
    """Whose memories are looked at; empty on pages of the whole home."""
    named: Mapping[str, str]
    """What the path names, such as a memory's id."""
    query: Mapping[str, str]
    """What stands behind the path: filters, the place in a list."""
    deadline: Deadline
    path: str
    """Of the page itself."""

    def ask(self, row: Operation[Any, Any], **fields: object) -> Any:
        """What an operation answers, if this caller may ask it.

        Args:
            row: an operation; it is asked in the page's namespace.
            fields: of its input, by their names in Python, as a program would give them: what is a person's to say is
                said in the caller's name. Empty words and None are left out.

        Raises:
            PellucidError: it may not be asked, or cannot answer.
        """
        call = self.call(row)
        given = {to_camel(name): value for name, value in fields.items() if value not in (None, "")}
        return row.perform(call, asking.input_of(call, row, given))

    def call(self, row: Operation[Any, Any]) -> Call:
        """A call of this operation in the page's namespace.

        Raises:
            PellucidError: the caller may not ask it here.
        """
        if "namespace" not in row.input.model_fields:
            allowed(self.caller, row.access, "*")
            return Call.over(self.host.app, self.deadline)
        call = self.host.call(allowed(self.caller, row.access, self.namespace), deadline=self.deadline)
        call.surface = "page"
        call.said_by = self.caller.speaks_as(self.namespace)
        return call

    def may(self, row: Operation[Any, Any]) -> bool:
        """Whether the caller may ask this operation here: what may not be done is not offered."""
        place = self.namespace if "namespace" in row.input.model_fields else "*"
        return self.caller.may(row.access, place)

    def href(self, path: str = "", namespace: str | None = None, **query: object) -> str:
        """The address of a page of a namespace (of this one, unless another is named); empty values are left out."""
        place = self.namespace if namespace is None else namespace
        words = {name: value for name, value in query.items() if value not in (None, "", False)}
        where = f"{ROOT}/{quote(place)}/{quote(path)}" if place else f"{ROOT}/{quote(path)}"
        return f"{where.rstrip('/')}{f'?{urlencode(words, doseq=True)}' if words else ''}"

    def here(self, **changed: object) -> str:
        """The address of this page with other words behind its path."""
        words = {name: value for name, value in {**self.query, **changed}.items() if value not in (None, "", False)}
        return f"{quote(self.path)}{f'?{urlencode(words, doseq=True)}' if words else ''}"


def memory_of(view: View, memory_id: str) -> Memory | None:
    """A memory that a page tells of; None where it is gone. To be shown in a list is no use of it, as `show` is."""
    try:
        return view.ask(TRUST_EXPLAIN, memory_id=memory_id).memory
    except NotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class Page:
    """One page: where it is, and what its template is given."""

    path: str
    """Below the namespace (`/ui/tenant/project/…`), with what it names in braces; of the home with a leading `/`.

    A last name with `:path` behind it takes all that is left, slashes too: `sessions/{session_id:path}`.
    """
    template: str
    """A file of `templates/`."""
    build: Callable[[View], Mapping[str, object]]
    """What the template is given; `title` is the page's heading and must be among it."""
    label: str = ""
    """Its name in the navigation; empty where it is reached from other pages alone."""

    @property
    def is_of_home(self) -> bool:
        """Whether it belongs to no namespace."""
        return self.path.startswith("/")
