"""A tool's name and arguments in, an operation run in a thread, its result out: what MCP says of it.

What goes wrong is a result, too, which says what to change: a model can then correct itself.
"""

import asyncio
import difflib
import json
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from secrets import token_hex
from time import monotonic
from typing import Any, Protocol, TypeVar

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from starlette.requests import Request

from pellucid.deadline import Deadline
from pellucid.errors import InputError, PellucidError
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.model.wire import Wire
from pellucid.operations.operation import Access, Call, shown_value
from pellucid.operations.recall.recalling import RecallOutput
from pellucid.operations.recall.wording import numbered
from pellucid.surfaces.answers import answer_text, printed, problem, spell_wire, without_snapshot
from pellucid.surfaces.asking import input_of, offered
from pellucid.surfaces.commands import spelled_by
from pellucid.surfaces.mcp.tools import MODE, NAMESPACE, SPELLING, Row, Tool
from pellucid.xray.render.as_json import enveloped

Context = ServerRequestContext[Any, Any]
Progress = Callable[[int, int], None]
T = TypeVar("T")
_TELLS_EVERY_S = 0.2
REFERENCE = "the tool's input schema"


class Askers(Protocol):
    """Who may ask where: decided anew for each request, since nothing of MCP's own says who it comes from."""

    def __call__(
        self,
        request: Request | None,
        namespace: str | None,
        access: Access,
        /,
        *,
        deadline: Deadline,
        progress: Progress,
    ) -> Call:
        """A call in the namespace that is named, or in the one that is meant where none is.

        Args:
            request: the HTTP request that it came with; None over stdio.
            namespace: the one that the arguments name.
            access: what is to be done there.
            deadline: when it is given up.
            progress: told how much is done, of how much.

        Raises:
            NotFoundError: this caller may not ask there, or there is no such namespace: the two are told alike.
            InputError: that is no name of a namespace.
        """
        ...


async def call_tool(
    tools: Mapping[str, Tool], calls: Askers, context: Context, params: types.CallToolRequestParams
) -> types.CallToolResult:
    """What a tool answers.

    Raises:
        MCPError: there is no such tool.
    """
    tool = tools.get(params.name)
    if tool is None:
        raise MCPError(types.INVALID_PARAMS, f"no tool {params.name!r}; there are {', '.join(tools)}")
    given = {name: value for name, value in (params.arguments or {}).items() if value is not None}

    def work(deadline: Deadline, progress: Progress) -> types.CallToolResult:
        """Run the tool's operation; an error of ours is a result, too."""
        row = None
        try:
            row = _row(tool, given.pop(MODE, None) if len(tool.rows) > 1 else None)
            place = _place(given.pop(NAMESPACE, None)) if tool.places else None
            call = calls(context.request, place, row.access, deadline=deadline, progress=progress)
            return _answer(tool, row, call, given)
        except PellucidError as error:
            return error_result(error, row)
        except Exception as error:  # noqa: BLE001  # the edge: whoever asked is told, and goes on
            return error_result(unexpected(error), row)

    with spelled_by(SPELLING):
        return await in_thread(context, work)


def _row(tool: Tool, mode: object) -> Row:
    """The operation of a tool in a mode; of the first mode where none is given."""
    if mode is None:
        return next(iter(tool.rows.values()))
    if not isinstance(mode, str) or mode not in tool.rows:
        raise InputError(f'"mode" expects one of {", ".join(tool.rows)}; got {shown_value(mode)}', code="invalid_mode")
    return tool.rows[mode]


def _place(namespace: object) -> str | None:
    if namespace is not None and not isinstance(namespace, str):
        raise InputError(f'"namespace" expects tenant/project; got {shown_value(namespace)}', code="invalid_namespace")
    return namespace


def _answer(tool: Tool, row: Row, call: Call, given: Mapping[str, object]) -> types.CallToolResult:
    """Run a tool's operation and give its answer as text and as fields."""
    _check_names(tool, row, given)
    call.surface = "mcp"
    call.said_by = "assistant_output"  # whatever a person asked for: these are the words of a model
    request = input_of(call, row, given)
    outcome = row.perform(call, request)
    said = printed(answer_text(row, outcome, request, call, "text")).rstrip("\n")
    failure = row.failure(outcome)
    if failure:
        spell_wire(failure, REFERENCE)
        said = f"{said}\n{failure}"
    ids = filter(None, [numbered(outcome)] if isinstance(outcome, RecallOutput) else [])
    return types.CallToolResult(
        content=[types.TextContent(text=each) for each in (said, *ids)],
        structured_content=_structured(outcome),
        is_error=failure is not None,
    )


def _check_names(tool: Tool, row: Row, given: Mapping[str, object]) -> None:
    """See that the fields are those of the mode.

    Raises:
        InputError: one is another mode's, or none's.
    """
    fields = offered(row)
    unknown = next((name for name in given if name not in fields), None)
    if unknown is None:
        return
    modes = [mode for mode, other in tool.rows.items() if unknown in offered(other)]
    mode = next(mode for mode, each in tool.rows.items() if each is row)
    close = difflib.get_close_matches(unknown, fields, n=1)
    hint = f"it is one of mode {' and '.join(modes)}" if modes else f"did you mean {close[0]}?" if close else ""
    raise InputError(
        f"{json.dumps(unknown)} is no field of {f'mode {mode}' if len(tool.rows) > 1 else tool.name}",
        code="unknown_field",
        next_step=hint or f"there are {', '.join(fields)}",
    )


def _structured(outcome: Wire) -> dict[str, object]:
    return enveloped(outcome) if isinstance(outcome, RecallXraySnapshot) else outcome.to_wire()


def error_result(error: PellucidError, row: Row | None = None) -> types.CallToolResult:
    """A failure as a result, its fields spelled as they are sent.

    A recall that is not there, or is somebody else's, has no snapshot: that is an answer, and no failure; why follows.
    """
    spell_wire(error, REFERENCE)
    absent = row and without_snapshot(row, error, "text")
    said = [*([absent] if absent else []), printed(str(error))]
    return types.CallToolResult(
        content=[types.TextContent(text=each.rstrip("\n")) for each in said],
        structured_content=enveloped(None) if absent else {**problem(error)},
        is_error=not absent,
    )


def unexpected(error: Exception) -> PellucidError:
    """What nobody foresaw, without a word of it for the caller; standard error names it under the same id."""
    trace = token_hex(6)
    sys.stderr.write(f"pellucid: unexpected {type(error).__name__}, trace {trace}\n")
    return PellucidError(f"something unexpected went wrong, trace {trace}", next_step="try it once more")


async def in_thread(context: Context, work: Callable[[Deadline, Progress], T]) -> T:
    """Work done in a thread, with progress told to whoever asked; it ends soon after the request is cancelled."""
    loop, deadline, told_of = asyncio.get_running_loop(), Deadline(), list[Future[None]]()
    again = _Every(_TELLS_EVERY_S)

    def progress(done: int, total: int) -> None:
        if done == total or again.is_due():
            report = context.session.report_progress(done, total or None)
            told_of.append(asyncio.run_coroutine_threadsafe(report, loop))

    working = asyncio.ensure_future(anyio.to_thread.run_sync(work, deadline, progress))
    try:
        outcome = await asyncio.shield(working)
    except asyncio.CancelledError:
        deadline.cancel()
        with anyio.CancelScope(shield=True):  # the home may not be closed beneath it
            await asyncio.wait([working])
        raise
    await asyncio.gather(*map(asyncio.wrap_future, told_of), return_exceptions=True)  # before the answer, not after
    return outcome


class _Every:
    """Whether so many seconds have passed since it was last due."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._next = seconds, 0.0

    def is_due(self) -> bool:
        now = monotonic()
        if now < self._next:
            return False
        self._next = now + self._seconds
        return True
