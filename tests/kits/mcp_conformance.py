"""A port in, a server out that holds what the MCP conformance suite looks for, on the stack that serves Pellucid.

By hand, where npm is at hand (Node 22):

    PYTHONPATH=tests python -m kits.mcp_conformance 3123 &
    npx -y -p node@22 -p @modelcontextprotocol/conformance@0.2.0-alpha.12 conformance server \
        --url http://127.0.0.1:3123/mcp --requirements 2026-07-28

and the same with `--requirements 2025-11-25`.
"""

import json
import sys
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts.base import UserMessage
from pydantic import BaseModel, Field
from starlette.applications import Starlette
from starlette.routing import Route

from pellucid.surfaces.mcp.http import Mounted

IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
AUDIO = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
server = MCPServer("conformance", version="1", instructions="Fixtures of the conformance suite.")
_low: Any = server._lowlevel_server
Answer = str | types.InputRequiredResult


def text(words: str) -> types.TextContent:
    return types.TextContent(text=words)


def image() -> types.ImageContent:
    return types.ImageContent(data=IMAGE, mime_type="image/png")


def embedded(uri: str, words: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=words))


@server.tool()
def test_simple_text() -> str:
    """A text."""
    return "This is a simple text response for testing."


@server.tool()
def test_image_content() -> list[types.ImageContent]:
    """An image."""
    return [image()]


@server.tool()
def test_audio_content() -> list[types.AudioContent]:
    """A sound."""
    return [types.AudioContent(data=AUDIO, mime_type="audio/wav")]


@server.tool()
def test_embedded_resource() -> list[types.EmbeddedResource]:
    """A resource within an answer."""
    return [embedded("test://embedded-resource", "This is an embedded resource content.")]


@server.tool()
def test_multiple_content_types() -> list[types.TextContent | types.ImageContent | types.EmbeddedResource]:
    """Three kinds at once."""
    told = embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
    return [text("Multiple content types test:"), image(), told]


@server.tool()
async def test_tool_with_logging(ctx: Context) -> str:
    """Log messages on the way."""
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(said)
    return "Tool with logging executed successfully"


@server.tool()
async def test_logging_tool(ctx: Context) -> str:
    """A log message that was asked for, or not."""
    await ctx.info("logged")
    return "logged"


@server.tool()
async def test_tool_with_progress(ctx: Context) -> str:
    """Progress on the way."""
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100, f"Completed step {done} of 100")
    return "done"


@server.tool()
def test_error_handling() -> str:
    """A failure."""
    raise RuntimeError("This tool intentionally returns an error for testing")


@server.tool()
async def test_sampling(prompt: str, ctx: Context) -> str:
    """A question to the client's model."""
    asked = [types.SamplingMessage(role="user", content=text(prompt))]
    said: Any = await ctx.session.create_message(messages=asked, max_tokens=100)
    return f"LLM response: {said.content.text}"


class Response(BaseModel):
    response: str = Field(description="User's response")


class Person(BaseModel):
    name: str = Field(default="John Doe")
    age: int = Field(default=30)
    score: float = Field(default=95.5)
    status: str = Field(default="active", json_schema_extra={"enum": ["active", "inactive", "pending"]})
    verified: bool = Field(default=True)


def _choices(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in pairs]


class Choices(BaseModel):
    untitledSingle: str = Field(json_schema_extra={"enum": ["option1", "option2", "option3"]})  # noqa: N815
    titledSingle: str = Field(  # noqa: N815
        json_schema_extra={"oneOf": [*_choices(("value1", "First"), ("value2", "Second"), ("value3", "Third"))]}
    )
    legacyEnum: str = Field(  # noqa: N815
        json_schema_extra={"enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]}
    )
    untitledMulti: list[str] = Field(  # noqa: N815
        json_schema_extra={"items": {"type": "string", "enum": ["option1", "option2", "option3"]}}
    )
    titledMulti: list[str] = Field(  # noqa: N815
        json_schema_extra={"items": {"anyOf": _choices(("value1", "First"), ("value2", "Second"), ("value3", "Third"))}}
    )


async def _elicited(ctx: Context, message: str, schema: type[BaseModel]) -> str:
    found: Any = await ctx.elicit(message=message, schema=schema)
    content = found.data.model_dump_json() if found.action == "accept" else "{}"
    return f"User response: action={found.action}, content={content}"


@server.tool()
async def test_elicitation(message: str, ctx: Context) -> str:
    """A question to the user."""
    return await _elicited(ctx, message, Response)


@server.tool()
async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
    """A question with defaults."""
    return await _elicited(ctx, "Please review and update the form fields with defaults", Person)


@server.tool()
async def test_elicitation_sep1330_enums(ctx: Context) -> str:
    """A question with choices."""
    return await _elicited(ctx, "Please select options from the enum fields", Choices)


def _form(message: str, name: str, kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(words: str, most: int) -> types.CreateMessageRequest:
    asked = [types.SamplingMessage(role="user", content=text(words))]
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=asked, max_tokens=most))


def _needing(state: str | None = None, **requests: Any) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def _given(ctx: Context, name: str) -> Any:
    return (ctx.input_responses or {}).get(name)


def _field(answer: Any, name: str) -> str | None:
    content = getattr(answer, "content", None)
    return content.get(name) if isinstance(content, dict) else None


@server.tool()
def test_input_required_result_elicitation(ctx: Context) -> Answer:
    """A name that has to be asked for."""
    name = _field(_given(ctx, "user_name"), "name")
    return f"Hello, {name}!" if name else _needing(user_name=_form("What is your name?", "name"))


@server.tool()
def test_input_required_result_sampling(ctx: Context) -> Answer:
    """An answer of the client's model."""
    said = _given(ctx, "capital_question")
    return said.content.text if said else _needing(capital_question=_sample("What is the capital of France?", 100))


@server.tool()
def test_input_required_result_list_roots(ctx: Context) -> Answer:
    """The client's roots."""
    said = _given(ctx, "client_roots")
    if not said:
        return _needing(client_roots=types.ListRootsRequest(params=types.RequestParams()))
    return ", ".join(str(root.uri) for root in said.roots)


@server.tool()
def test_input_required_result_request_state(ctx: Context) -> Answer:
    """A state that comes back."""
    if ctx.request_state == "one":
        return "state-ok"
    return _needing("one", confirm=_form("Please confirm", "ok", "boolean"))


@server.tool()
def test_input_required_result_tampered_state(ctx: Context) -> Answer:
    """A state that may not be changed."""
    return test_input_required_result_request_state(ctx)


@server.tool()
def test_input_required_result_multiple_inputs(ctx: Context) -> Answer:
    """Three questions at once."""
    if all(_given(ctx, name) for name in ("user_name", "greeting", "client_roots")):
        return "all of them"
    return _needing(
        "several",
        user_name=_form("What is your name?", "name"),
        greeting=_sample("Generate a greeting", 50),
        client_roots=types.ListRootsRequest(params=types.RequestParams()),
    )


@server.tool()
def test_input_required_result_multi_round(ctx: Context) -> Answer:
    """Two questions, one after the other."""
    if _given(ctx, "step2"):
        return "both steps"
    if _given(ctx, "step1"):
        return _needing("two", step2=_form("Step 2: What is your favorite color?", "color"))
    return _needing("one", step1=_form("Step 1: What is your name?", "name"))


@server.tool()
def test_input_required_result_capabilities(ctx: Context) -> Answer:
    """Only what the client can answer."""
    can = ctx.client_capabilities
    asked: dict[str, Any] = {}
    if can and can.elicitation is not None:
        asked["form"] = _form("What is your name?", "name")
    if can and can.sampling is not None:
        asked["sample"] = _sample("Say something", 20)
    return _needing(**asked) if asked else "nothing can be asked"


@server.tool()
def test_streaming_elicitation(ctx: Context) -> Answer:
    """A question within a stream."""
    return test_input_required_result_elicitation(ctx)


@server.tool()
def test_missing_capability(ctx: Context) -> str:
    """What needs sampling."""
    can = ctx.client_capabilities
    if can is None or can.sampling is None:
        from mcp.shared.exceptions import MCPError

        needed = types.MissingRequiredClientCapabilityErrorData(
            required_capabilities=types.ClientCapabilities(sampling=types.SamplingCapability())
        )
        data = needed.model_dump(by_alias=True, mode="json", exclude_none=True)
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is needed", data)
    return "sampling is there"


@server.tool()
async def test_trigger_tool_change(ctx: Context) -> str:
    """The tools have changed."""
    await ctx.notify_tools_changed()
    return "told"


@server.tool()
async def test_trigger_prompt_change(ctx: Context) -> str:
    """The prompts have changed."""
    await ctx.notify_prompts_changed()
    return "told"


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """An image."""
    return b64decode(IMAGE)


@server.resource("test://template/{id}/data", mime_type="application/json")
def template(id: str) -> str:  # noqa: A002 - the suite's own name
    """What an address names."""
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


@server.resource("test://watched-resource", mime_type="text/plain")
def watched() -> str:
    """What may be subscribed to."""
    return "Watched resource content"


@server.prompt()
def test_simple_prompt() -> list[UserMessage]:
    """No arguments."""
    return [UserMessage("This is a simple prompt for testing.")]


@server.prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
    """Two arguments."""
    return [UserMessage(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]


@server.prompt()
def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803
    """A resource within a prompt."""
    return [
        UserMessage(embedded(resourceUri, "Embedded resource content for testing.")),
        UserMessage("Please process the embedded resource above."),
    ]


@server.prompt()
def test_prompt_with_image() -> list[UserMessage]:
    """An image within a prompt."""
    return [UserMessage(image()), UserMessage("Please analyze the image above.")]


@server.prompt()
def test_input_required_result_prompt(ctx: Context) -> list[UserMessage] | types.InputRequiredResult:
    """A prompt that has to ask first."""
    said = _field(_given(ctx, "user_context"), "context")
    if said is None:
        return _needing(user_context=_form("What context should the prompt use?", "context"))
    return [UserMessage(f"The context is {said}.")]


@server.completion()
async def complete(*_: object) -> types.Completion:
    return types.Completion(values=["test"], total=1, has_more=False)


async def _nothing(*_: object) -> types.EmptyResult:
    return types.EmptyResult()


LEGACY: dict[str, tuple[type[BaseModel], Callable[..., Any]]] = {
    "logging/setLevel": (types.SetLevelRequestParams, _nothing),
    "resources/subscribe": (types.SubscribeRequestParams, _nothing),
    "resources/unsubscribe": (types.UnsubscribeRequestParams, _nothing),
}

if __name__ == "__main__":
    for method, (params, handler) in LEGACY.items():
        _low.add_request_handler(method, params, handler)
    port = int(sys.argv[1])
    mounted = Mounted(_low, hosts=(f"127.0.0.1:{port}", f"localhost:{port}"))
    app = Starlette(routes=[Route("/mcp", endpoint=mounted.app)], lifespan=lambda _app: mounted.running())
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
