"""A script in, what the server of `pellucid.testing` says over a socket out."""

import gc
import http.client
import json
import threading
from typing import Any
from urllib.parse import urlsplit

import pytest

from kits.waiting import until
from pellucid.testing import ScriptedServer, answer, hang_up, ranking, raw, status


def post(server: ScriptedServer, path: str = "/v1/chat/completions", **body: Any) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=60)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", "X-Who": "me"})
        response = connection.getresponse()
        return response.status, dict(response.headers), response.read()
    finally:
        connection.close()


def test_both_apis_give_the_answer_in_their_own_form() -> None:
    with ScriptedServer(answer({"a": 1}, input_tokens=3, output_tokens=4), answer("two")) as server:
        chat = json.loads(post(server)[2])
        responses = json.loads(post(server, "/v1/responses")[2])
    assert chat["choices"][0]["message"]["content"] == '{"a": 1}'
    assert chat["usage"] == {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    assert responses["output"][-1]["content"][0]["text"] == "two"
    assert responses["usage"]["input_tokens"] == 100


def test_a_reranker_lists_the_texts_best_first_with_the_place_they_were_sent_in() -> None:
    with ScriptedServer(ranking(0.25, 0.75)) as server:
        assert server.base_url == f"{server.address}/v1"
        said = json.loads(post(server, "/v2/rerank", query="q", documents=["a", "b"])[2])
    assert [(result["index"], result["relevance_score"]) for result in said["results"]] == [(1, 0.75), (0, 0.25)]
    assert server.requests[0].body == {"query": "q", "documents": ["a", "b"]}


def test_requests_are_recorded_with_headers_and_both_halves_of_the_prompt() -> None:
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}]
    with ScriptedServer(answer("x"), answer("x")) as server:
        post(server, messages=messages)
        post(server, "/v1/responses", instructions="be brief", input="hello")
    assert [(request.system, request.user) for request in server.requests] == [("be brief", "hello")] * 2
    assert server.requests[0].headers["x-who"] == "me"
    assert [request.path for request in server.requests] == ["/v1/chat/completions", "/v1/responses"]


def test_a_step_can_be_a_status_raw_bytes_or_nothing_at_all() -> None:
    with ScriptedServer(status(429, {"Retry-After": "3"}), raw(b"\xff"), hang_up(), answer("abc", cut=5)) as server:
        code, headers, _ = post(server)
        assert (code, headers["Retry-After"]) == (429, "3")
        assert post(server)[2] == b"\xff"
        with pytest.raises(http.client.RemoteDisconnected):
            post(server)
        with pytest.raises(http.client.IncompleteRead):
            post(server)


def test_a_function_can_be_the_script_and_an_unknown_path_is_no_step_of_it() -> None:
    with ScriptedServer(lambda request: answer(request.user[::-1])) as server:
        assert post(server, "/v1/models")[0] == 404
        said = json.loads(post(server, "/v1/responses", input="abc")[2])
    assert said["output"][-1]["content"][0]["text"] == "cba"
    assert len(server.requests) == 1


def test_after_its_last_step_a_script_says_that_it_is_over() -> None:
    with ScriptedServer() as server:
        code, _, body = post(server)
    assert (code, json.loads(body)["error"]["code"]) == (503, "script_over")


def test_it_listens_on_loopback_alone_and_ends_with_its_block_even_in_the_middle_of_a_step() -> None:
    before = threading.active_count()
    with ScriptedServer(answer("late", delay_s=60)) as server:
        address = urlsplit(server.base_url)
        waiting = http.client.HTTPConnection(address.netloc, timeout=60)
        waiting.request("POST", "/v1/responses", "{}")
        until(lambda: server.requests, "the request")
    assert address.hostname == "127.0.0.1"
    assert json.loads(waiting.getresponse().read())["output"]
    waiting.close()
    refused = http.client.HTTPConnection(address.netloc, timeout=60)
    with pytest.raises(ConnectionRefusedError):
        refused.request("POST", "/v1/responses", "{}")
    refused.close()
    gc.collect()
    assert threading.active_count() <= before + 1
    with pytest.raises(AssertionError, match="inside its with block"):
        _ = server.base_url
