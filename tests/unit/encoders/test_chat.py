"""A scripted endpoint in, what the chat model makes of it out: real client, real sockets, both APIs."""

import asyncio
import logging
import socket
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Literal

import pytest
from pydantic import SecretStr

from pellucid.encoders.chat.model import ChatError, OpenAIChat
from pellucid.encoders.http_post import LONGEST_BODY
from pellucid.errors import InputError
from pellucid.settings.sections import LlmSettings
from pellucid.testing import ScriptedServer, Step, answer, hang_up, raw, status

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["word", "sure", "parts"],
    "properties": {
        "word": {"type": "string"},
        "sure": {"type": ["number", "null"]},
        "parts": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
    },
}
GOOD = {"word": "yes", "sure": 0.5, "parts": ["a"]}
KEY = "key-0f8c1d-never-shown"
Api = Literal["chat", "responses"]
BOTH: tuple[Api, ...] = ("chat", "responses")


class Bench:
    """A model that asks one server, and the pauses it would have made."""

    def __init__(self, server: ScriptedServer | str, api: Api = "chat", **more: Any) -> None:
        url = server if isinstance(server, str) else server.base_url
        settings = LlmSettings(base_url=url, model="m", api=api, **{"timeout_s": 20.0, **more})
        self.pauses: list[float] = []
        self.model = OpenAIChat(settings, sleep=self.pauses.append, jitter=lambda: 1.0)

    def ask(self) -> Any:
        return self.model.ask("Say a word.", "data", SCHEMA, "word")

    def fails(self) -> ChatError:
        with pytest.raises(ChatError) as caught:
            self.ask()
        return caught.value


@pytest.mark.parametrize("api", BOTH)
def test_an_answer_that_follows_its_schema_is_given_with_what_it_took(api: Api) -> None:
    with ScriptedServer(answer(GOOD, input_tokens=120, output_tokens=7)) as server:
        bench = Bench(server, api)
        assert bench.ask() == GOOD
    meter = bench.model.meter
    assert (meter.input_tokens, meter.output_tokens, meter.attempts) == (120, 7, 1)
    assert meter.seconds > 0


@pytest.mark.parametrize("api", BOTH)
def test_the_question_goes_out_with_a_strict_schema_and_the_caps_of_the_settings(api: Api) -> None:
    with ScriptedServer(answer(GOOD)) as server:
        Bench(server, api, max_output_tokens=77).ask()
    (request,) = server.requests
    assert (request.system, request.user, request.body["model"]) == ("Say a word.", "data", "m")
    if api == "chat":
        form = request.body["response_format"]["json_schema"]
        assert request.path == "/v1/chat/completions"
        assert request.body["max_completion_tokens"] == 77
    else:
        form = request.body["text"]["format"]
        assert request.path == "/v1/responses"
        assert (request.body["max_output_tokens"], request.body["store"]) == (77, False)
    assert (form["strict"], form["schema"], form["name"]) == (True, SCHEMA, "word")


def test_nothing_of_the_machine_or_its_environment_is_sent_along(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-environment")
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Told: yes\nAuthorization: Bearer other")
    with ScriptedServer(answer(GOOD), answer(GOOD)) as server:
        Bench(server).ask()
        Bench(server, api_key=SecretStr(KEY)).ask()
    plain = {"host", "accept", "accept-encoding", "content-type", "content-length", "user-agent"}
    keyless, keyed = server.requests
    assert set(keyless.headers) <= plain
    assert set(keyed.headers) - plain == {"authorization"}
    assert (keyed.headers["authorization"], keyed.headers["user-agent"]) == (f"Bearer {KEY}", "pellucid")


@pytest.mark.parametrize("api", BOTH)
def test_after_429_it_waits_as_long_as_it_was_told_and_asks_again(api: Api) -> None:
    with ScriptedServer(status(429, {"Retry-After": "7"}), answer(GOOD)) as server:
        bench = Bench(server, api)
        assert bench.ask() == GOOD
    assert bench.pauses == [7.0]


def test_a_retry_after_given_as_a_date_is_waited_for() -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    with ScriptedServer(status(503, {"Retry-After": at}), answer(GOOD)) as server:
        bench = Bench(server)
        bench.ask()
    assert 1 < bench.pauses[0] <= 30


@pytest.mark.parametrize("said", ["soon", "-3", "nan", "", "Mon, 99 Foo 2026"])
def test_an_unreadable_retry_after_gives_the_usual_pause(said: str) -> None:
    with ScriptedServer(status(429, {"Retry-After": said}), answer(GOOD)) as server:
        bench = Bench(server)
        bench.ask()
    assert bench.pauses == [0.5]


@pytest.mark.parametrize("said", ["3600", "inf", "1e400"])
def test_an_endpoint_that_wants_an_hour_of_rest_is_not_asked_again(said: str) -> None:
    with ScriptedServer(status(429, {"Retry-After": said}), answer(GOOD)) as server:
        bench = Bench(server)
        assert bench.fails().code == "llm_rate_limited"
    assert len(server.requests) == 1
    assert not bench.pauses


def test_a_quota_that_is_used_up_is_not_asked_again() -> None:
    with ScriptedServer(status(429, body={"error": {"code": "insufficient_quota"}}), answer(GOOD)) as server:
        error = Bench(server).fails()
    assert (error.code, len(server.requests)) == ("llm_rate_limited", 1)
    assert "insufficient_quota" in error.message


@pytest.mark.parametrize("api", BOTH)
def test_a_server_that_stays_broken_is_given_up_after_the_retries_with_growing_pauses(api: Api) -> None:
    with ScriptedServer(*[status(500)] * 9) as server:
        bench = Bench(server, api, retries=3)
        error = bench.fails()
    assert (error.code, len(server.requests)) == ("llm_unreachable", 4)
    assert bench.pauses == [0.5, 1.0, 2.0]
    assert "500" in error.message
    assert "after 4 attempts" in error.message


@pytest.mark.parametrize("code", [301, 307, 400, 401, 403, 404, 413, 422])
def test_what_cannot_heal_is_not_asked_again(code: int) -> None:
    with ScriptedServer(status(code, {"Location": "http://127.0.0.1:9/"}), answer(GOOD)) as server:
        error = Bench(server).fails()
    assert (error.code, len(server.requests)) == ("llm_refused", 1)
    assert str(code) in error.message
    assert error.next_step


@pytest.mark.parametrize("slow", [answer(GOOD, delay_s=30), answer(GOOD, trickle_s=0.02)], ids=["silent", "trickling"])
def test_an_attempt_ends_at_its_deadline_however_the_endpoint_dawdles(slow: Step) -> None:
    with ScriptedServer(slow, slow) as server:
        error = Bench(server, timeout_s=0.3, retries=1).fails()
    assert (error.code, error.kind, len(server.requests)) == ("llm_timeout", "timeout", 2)
    assert "0.3 s" in error.message


@pytest.mark.parametrize("api", BOTH)
@pytest.mark.parametrize(
    "bad",
    [
        answer(""),
        answer('{"word": "ye'),
        answer("I would say yes."),
        answer('{"word": "yes", "sure": NaN, "parts": []}'),
        answer({"word": 3, "sure": 1, "parts": []}),
        answer({"word": "yes", "sure": True, "parts": []}),
        answer({"word": "yes", "sure": 1, "parts": ["c"]}),
        answer({"word": "yes", "sure": 1}),
        answer([GOOD]),
        answer("[" * 100_000),
        answer('{"word": "\\ud800", "sure": 1, "parts": []}'),
        answer('{"word": "yes", "sure": 1, "parts": ["a"]}', finish="length"),
        raw(b"<html>Bad gateway</html>"),
        raw(b"[" * 100_000),
        raw(b"{}"),
        raw(b'{"choices": [], "output": "no list"}'),
        raw(b"\xff\xfe\x00"),
        raw(b"\x1f\x8b garbage", headers={"Content-Encoding": "gzip"}),
    ],
    ids=lambda step: (step.body or step.text.encode())[:24].decode("latin-1") + step.finish,
)
def test_a_bad_answer_is_refused(api: Api, bad: Step) -> None:
    with ScriptedServer(bad) as server:
        assert Bench(server, api, retries=0).fails().code == "llm_bad_answer"


def test_an_answer_without_end_is_read_to_its_bound_and_no_further() -> None:
    endless = b'{"choices": [{"message": {"content": "' + b"a" * (3 * LONGEST_BODY)
    with ScriptedServer(raw(endless), status(500, body="a" * (3 * LONGEST_BODY))) as server:
        bench = Bench(server, retries=0)
        assert f"more than {LONGEST_BODY} bytes" in bench.fails().message
        assert bench.fails().code == "llm_unreachable"


@pytest.mark.parametrize("api", BOTH)
def test_after_a_bad_answer_it_asks_again_within_its_retries(api: Api) -> None:
    with ScriptedServer(answer("{"), answer(GOOD), *[answer("{}")] * 9) as server:
        assert Bench(server, api).ask() == GOOD
        assert Bench(server, api, retries=1).fails().code == "llm_bad_answer"
    assert len(server.requests) == 4


@pytest.mark.parametrize("api", BOTH)
@pytest.mark.parametrize("step", [answer("", refusal="no"), answer("{}", finish="content_filter")])
def test_a_model_that_declines_is_not_asked_again(api: Api, step: Step) -> None:
    with ScriptedServer(step, answer(GOOD)) as server:
        assert Bench(server, api).fails().code == "llm_refused"
    assert len(server.requests) == 1


@pytest.mark.parametrize("broken", [hang_up(), answer(GOOD, cut=20)], ids=["hung up", "hung up in the middle"])
def test_a_connection_that_breaks_off_is_tried_again(broken: Step) -> None:
    with ScriptedServer(broken, answer(GOOD), broken) as server:
        assert Bench(server).ask() == GOOD
        assert Bench(server, retries=0).fails().code == "llm_unreachable"


def test_an_endpoint_that_is_not_there_is_said_to_be_unreachable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        bench = Bench(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", retries=1)
        assert bench.fails().code == "llm_unreachable"
    assert bench.model.meter.attempts == 2


def test_tokens_and_cost_add_up_over_failed_attempts_too() -> None:
    steps = (answer("no json", input_tokens=1000, output_tokens=10), status(500), answer(GOOD))
    with ScriptedServer(*steps) as server:
        bench = Bench(server, input_cost=2.0, output_cost=8.0)
        bench.ask()
    meter = bench.model.meter
    assert (meter.calls, meter.attempts, meter.input_tokens, meter.output_tokens) == (1, 3, 1100, 60)
    assert meter.cost == pytest.approx((1100 * 2 + 60 * 8) / 1e6)
    assert (meter.estimated, meter.seconds > 0) == (0, True)


@pytest.mark.parametrize(
    "usage",
    [
        {},
        {"prompt_tokens": -5, "completion_tokens": "many"},
        {"prompt_tokens": True, "completion_tokens": True},
        {"prompt_tokens": 10**12},
        7,
    ],
)
def test_an_endpoint_that_does_not_tell_its_tokens_is_charged_by_characters(usage: object) -> None:
    text = '{"word": "yes", "sure": null, "parts": []}'
    body = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage}
    with ScriptedServer(status(200, body=body)) as server:
        bench = Bench(server, input_cost=1.0)
        bench.ask()
    assert (bench.model.meter.estimated, bench.model.meter.output_tokens) == (1, len(text) // 4 + 1)
    assert bench.model.meter.cost > 0


def test_no_call_is_made_once_the_run_has_reached_its_cap() -> None:
    with ScriptedServer(answer(GOOD, input_tokens=1_000_000), answer("", input_tokens=1_000_000)) as server:
        bench = Bench(server, input_cost=1.0, max_cost=1.5, retries=5)
        bench.ask()
        assert bench.fails().code == "llm_cost_cap"
        assert bench.fails().kind == "cost cap"
    assert len(server.requests) == 2


def test_the_key_stands_in_no_error_no_repr_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    echo = {"error": {"message": f"Incorrect API key: {KEY}", "code": KEY, "param": KEY}}
    steps = (status(401, body=echo), status(400, body=echo), answer(f"{KEY} is no json"), hang_up())
    with ScriptedServer(*steps, answer(GOOD, delay_s=30)) as server:
        bench = Bench(server, api_key=SecretStr(KEY), retries=0)
        errors = [bench.fails() for _ in steps]
        late = Bench(server, api_key=SecretStr(KEY), retries=0, timeout_s=0.3).fails()
        told = ["".join(traceback.format_exception(error)) for error in [*errors, late]]
    assert [error.code for error in errors] == ["llm_refused", "llm_refused", "llm_bad_answer", "llm_unreachable"]
    assert late.code == "llm_timeout"
    shown = [*told, *map(str, errors), *map(repr, errors), repr(bench.model), repr(vars(bench.model)), caplog.text]
    assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in server.requests)
    assert not [text for text in shown if KEY in text]
    assert not [error for error in errors if error.__cause__ or error.__context__]


def test_it_can_be_asked_from_where_an_event_loop_runs() -> None:
    async def within(bench: Bench) -> Any:
        return bench.ask()

    with ScriptedServer(answer(GOOD)) as server:
        assert asyncio.run(within(Bench(server))) == GOOD


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"base_url": ""}, "llm.baseUrl is not set"),
        ({"model": ""}, "llm.model is not set"),
        ({"base_url": "localhost:8080"}, "llm.baseUrl is not"),
        ({"base_url": "ftp://host/v1"}, "llm.baseUrl is not"),
        ({"base_url": f"http://me:{KEY}@host/v1"}, "llm.baseUrl is not"),
        ({"base_url": "http://host:port/v1"}, "llm.baseUrl is not"),
        ({"api_key": SecretStr(f"{KEY}\nX: y")}, "llm.apiKey holds signs"),
        ({"max_cost": 1.0}, "llm.maxCost cannot be held"),
    ],
)
def test_a_setting_that_is_missing_or_cannot_be_is_named(more: dict[str, Any], named: str) -> None:
    settings = LlmSettings(**{"base_url": "http://host/v1", "model": "m", **more})
    with pytest.raises(InputError, match=named) as caught:
        OpenAIChat(settings)
    assert (caught.value.code, KEY in str(caught.value)) == ("invalid_setting", False)


@pytest.mark.parametrize("api", BOTH)
def test_an_answer_of_an_endpoint_may_stand_in_prose(api: Api) -> None:
    with ScriptedServer(answer('Here it is:\n```json\n{"word": "yes", "parts": []}\n```\nAnything else?')) as server:
        assert Bench(server, api).ask() == {"word": "yes", "parts": []}
