"""A tool's name and arguments in, an operation run in a thread, its result out.

An error is a result, too, which says what to change, so that a model can correct itself.
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
from pellucid.errors import InputError, PellucidError, spelled_by
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.operations.expectations import short_json
from pellucid.operations.operation import Access, Call
from pellucid.operations.recall.recalling import RecallOutput
from pellucid.operations.recall.wording import result_ids
from pellucid.surfaces.answers import answer_text, error_fields, missing_xray_text, printable
from pellucid.surfaces.inputs import agent_fields, input_from_json
from pellucid.surfaces.mcp.tools import MODE, NAMESPACE, Row, Tool, spelling
from pellucid.surfaces.spelling import add_reference
from pellucid.xray.render.as_json import envelope

Context = ServerRequestContext[Any, Any]
Progress = Callable[[int, int], None]
T = TypeVar("T")
_REPORT_EVERY_S = 0.2


class CallMaker(Protocol):
    """Makes the call of each request, after checking that its sender has the right to it."""

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
        """Make a call, for which the sender needs the right `access`, in `namespace` (None: the sender's default one).

        `request` is the HTTP request, None over stdio; `progress` is called with how much is done, and of how much.
        `NotFoundError` if the sender has no right there, whether the namespace exists or not.
        """
        ...


async def call_tool(
    tools: Mapping[str, Tool], make_call: CallMaker, context: Context, params: types.CallToolRequestParams
) -> types.CallToolResult:
    """Run a tool of `tools` with its arguments, in a call that `make_call` makes, and return its result; an error of
    the run is a result, too. `MCPError` if there is no such tool, `CancelledError` if the client cancels it. Arguments
    that are None count as missing.
    """
    tool = tools.get(params.name)
    if tool is None:
        raise MCPError(types.INVALID_PARAMS, f"no tool {params.name!r}; there are {', '.join(tools)}")
    arguments = {name: value for name, value in (params.arguments or {}).items() if value is not None}

    def work(deadline: Deadline, progress: Progress) -> types.CallToolResult:
        """Run the tool's operation, in a thread; any error becomes a result (`error_result`)."""
        row = None
        try:
            row = _row_of_mode(tool, arguments.pop(MODE, None) if len(tool.rows) > 1 else None)
            namespace = arguments.pop(NAMESPACE, None) if tool.takes_namespace else None
            if namespace is not None and not isinstance(namespace, str):
                message = f'"namespace" expects tenant/project; got {short_json(namespace)}'
                raise InputError(message, code="invalid_namespace")
            call = make_call(context.request, namespace, row.access, deadline=deadline, progress=progress)
            with spelled_by(spelling(row)):
                return _run_row(tool, row, call, arguments)
        except PellucidError as error:
            return error_result(error, row)
        except Exception as error:  # noqa: BLE001  # the edge: the client gets a result, and goes on
            return error_result(unexpected_error(error), row)

    with spelled_by(spelling()):
        return await in_thread(context, work)


def _row_of_mode(tool: Tool, mode: object) -> Row:
    """Return the operation that a tool runs in a mode; for None, that of its default mode. `InputError` if the tool has
    no such mode.
    """
    if mode is None:
        return next(iter(tool.rows.values()))
    if not isinstance(mode, str) or mode not in tool.rows:
        raise InputError(f'"mode" expects one of {", ".join(tool.rows)}; got {short_json(mode)}', code="invalid_mode")
    return tool.rows[mode]


def _run_row(tool: Tool, row: Row, call: Call, arguments: Mapping[str, object]) -> types.CallToolResult:
    """Run the operation `row` of a tool with the fields `arguments` in `call`, after setting its `surface` and
    `said_by` to an agent's, and return its answer as a text and as structured JSON; a recall's ids are a second text. A
    failure that the operation reports is added to the text and sets `is_error`; `InputError` for a field that the agent
    is not offered, or a value that is not valid; what the operation raises is passed on.
    """
    _check_fields(tool, row, arguments)
    call.surface = "mcp"
    call.said_by = "assistant_output"  # a model writes the arguments, whatever a person asked it for
    request = input_from_json(call, row, arguments)
    outcome = row.perform(call, request)
    text = printable(answer_text(row, outcome, request, call, "text")).rstrip("\n")
    failure = row.failure(outcome)
    if failure:
        add_reference(failure)
        text = f"{text}\n{failure}"
    ids = filter(None, [result_ids(outcome)] if isinstance(outcome, RecallOutput) else [])
    is_xray = isinstance(outcome, RecallXraySnapshot)
    return types.CallToolResult(
        content=[types.TextContent(text=each) for each in (text, *ids)],
        structured_content=envelope(outcome) if is_xray else outcome.to_wire(),
        is_error=failure is not None,
    )


def _check_fields(tool: Tool, row: Row, arguments: Mapping[str, object]) -> None:
    """Raise an `InputError` with a hint if a field is unknown, not offered to agents (`agent_fields`), or of another
    mode of the tool.
    """
    fields = agent_fields(row)
    unknown = next((name for name in arguments if name not in fields), None)
    if unknown is None:
        return
    modes = [mode for mode, other in tool.rows.items() if unknown in agent_fields(other)]
    mode = next(mode for mode, each in tool.rows.items() if each is row)
    similar = difflib.get_close_matches(unknown, fields, n=1)
    hint = f"it is one of mode {' and '.join(modes)}" if modes else f"did you mean {similar[0]}?" if similar else ""
    raise InputError(
        f"{json.dumps(unknown)} is no field of {f'mode {mode}' if len(tool.rows) > 1 else tool.name}",
        code="unknown_field",
        next_step=hint or f"there are {', '.join(fields)}",
    )


def error_result(error: PellucidError, row: Row | None = None) -> types.CallToolResult:
    """Return an error as a tool's result with `is_error`, its message and a next step. If `row` is an operation that
    gives an X-ray (explanation of a recall), and the X-ray does not exist or the caller cannot read it, the result says
    that there is none, and is not an error.
    """
    add_reference(error)
    missing_text = row and missing_xray_text(row, error, "text")
    texts = [*([missing_text] if missing_text else []), printable(str(error))]
    return types.CallToolResult(
        content=[types.TextContent(text=each.rstrip("\n")) for each in texts],
        structured_content=envelope(None) if missing_text else {**error_fields(error)},
        is_error=not missing_text,
    )


def unexpected_error(error: Exception) -> PellucidError:
    """Return the error to report for an unexpected exception: it has a new trace id and no details. That id and the
    exception's type are logged on standard error.
    """
    trace = token_hex(6)
    sys.stderr.write(f"pellucid: unexpected {type(error).__name__}, trace {trace}\n")
    return PellucidError(f"something unexpected went wrong, trace {trace}", next_step="try it once more")


async def in_thread(context: Context, work: Callable[[Deadline, Progress], T]) -> T:
    """Run `work` in a thread, with a deadline and a function for its progress (done, total), which is reported to the
    client; return its result, or raise its exception. If the client cancels the call, cancel the deadline, wait for the
    thread to end, and raise `CancelledError`.
    """
    loop, deadline, reports = asyncio.get_running_loop(), Deadline(), list[Future[None]]()
    next_report = 0.0

    def progress(done: int, total: int) -> None:
        """Report progress to the client, at most five times a second except at the end."""
        nonlocal next_report
        if done == total or monotonic() >= next_report:
            next_report = next_report if done == total else monotonic() + _REPORT_EVERY_S
            report = context.session.report_progress(done, total or None)
            reports.append(asyncio.run_coroutine_threadsafe(report, loop))

    working = asyncio.ensure_future(anyio.to_thread.run_sync(work, deadline, progress))
    try:
        outcome = await asyncio.shield(working)
    except asyncio.CancelledError:
        deadline.cancel()
        with anyio.CancelScope(shield=True):  # the home may not be closed before the thread ends
            await asyncio.wait([working])
        raise
    await asyncio.gather(*map(asyncio.wrap_future, reports), return_exceptions=True)  # before the answer is sent
    return outcome
