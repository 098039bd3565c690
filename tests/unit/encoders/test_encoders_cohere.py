"""A scripted endpoint in, what the Cohere reranker makes of it out: plain HTTP over real sockets, no network."""

import json
import logging
import socket
import ssl
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from pellucid.encoders.http_post import LONGEST_BODY
from pellucid.encoders.rerank.cohere import CohereReranker
from pellucid.encoders.rerank.reranker import Reranker, open_reranker
from pellucid.errors import EncoderError
from pellucid.settings.sections import RerankSettings
from pellucid.testing import ScriptedServer, Step, hang_up, ranking, raw, status

KEY = "key-5b2e90-never-shown"
QUERY = "what runs the export?"
TEXTS = ["A timer runs the export.", "Ines likes figs.", "The export moved from cron."]
PLENTY_S = 20.0


def reranker(server: ScriptedServer | str, **more: Any) -> CohereReranker:
    url = server if isinstance(server, str) else server.address
    return CohereReranker(RerankSettings(backend="cohere", base_url=url, **{"api_key": SecretStr(KEY), **more}))


def refusal(server: ScriptedServer | str, deadline_s: float = PLENTY_S, **more: Any) -> EncoderError:
    """The error of one request, which shows neither the key nor anything that was sent."""
    with pytest.raises(EncoderError) as caught:
        reranker(server, **more).score(QUERY, TEXTS, deadline_s)
    shown = "".join(traceback.format_exception(caught.value))
    assert not any(secret in shown for secret in (KEY, *TEXTS))
    assert caught.value.next_step
    return caught.value


def results(*rows: object) -> Step:
    return raw(json.dumps({"results": rows}).encode())


def row(index: object, score: object) -> dict[str, object]:
    return {"index": index, "relevance_score": score}


def test_each_text_has_its_own_score_whatever_order_the_answer_has() -> None:
    with ScriptedServer(ranking(0.9, 0.01, 0.5)) as server:
        assert reranker(server).score(QUERY, TEXTS, PLENTY_S) == [0.9, 0.01, 0.5]


def test_it_is_a_remote_reranker_that_names_its_model(tmp_path: Path) -> None:
    found = open_reranker(RerankSettings(backend="cohere"), tmp_path)
    assert found
    assert (found.name, found.is_remote) == ("cohere:rerank-v3.5", True)
    other: Reranker = reranker("http://127.0.0.1", model="rerank-v4.0-pro")
    assert other.name == "cohere:rerank-v4.0-pro"


def test_what_leaves_is_the_query_the_texts_and_the_key_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("COHERE_API_KEY", "key-of-the-environment")
    with ScriptedServer(ranking(1, 2, 3)) as server:
        reranker(server, model="m").score(QUERY, TEXTS, PLENTY_S)
    (request,) = server.requests
    assert request.path == "/v2/rerank"
    assert request.body == {"model": "m", "query": QUERY, "documents": TEXTS, "top_n": 3}
    plain = {"host", "accept", "accept-encoding", "content-type", "content-length"}
    assert set(request.headers) - plain == {"authorization", "user-agent"}
    assert (request.headers["authorization"], request.headers["user-agent"]) == (f"Bearer {KEY}", "pellucid")


def test_no_text_is_no_request_and_an_address_may_end_with_a_path_and_a_slash() -> None:
    with ScriptedServer(ranking(0.5)) as server:
        assert reranker(server).score(QUERY, [], PLENTY_S) == []
        assert not server.requests
        assert reranker(f"{server.address}/").score(QUERY, ["a"], PLENTY_S) == [0.5]


def test_any_text_can_be_sent() -> None:
    odd = ["half \ud83d pair", "nul\0", "会議 🚀", ""]
    with ScriptedServer(ranking(1, 2, 3, 4)) as server:
        assert reranker(server).score("\ud83d?", odd, PLENTY_S) == [1, 2, 3, 4]
    assert server.requests[0].body["documents"] == ["half \ufffd pair", "nul\0", "会議 🚀", ""]


@pytest.mark.parametrize(
    ("code", "next_step"),
    [
        (400, "rerank.model"),
        (401, "PELLUCID_RERANK__API_KEY"),
        (403, "rerank.apiKey"),
        (404, "rerank.baseUrl"),
        (422, "rerank.model"),
        (429, "quota"),
        (500, "later"),
        (503, "later"),
    ],
)
def test_a_refusal_is_named_by_its_status_and_asked_once(code: int, next_step: str) -> None:
    repeating = {"message": f"invalid key {KEY} for {TEXTS[0]}"}
    with ScriptedServer(status(code, {"Retry-After": "0"}, repeating), ranking(1, 2, 3)) as server:
        error = refusal(server)
    assert error.message == f"cohere:rerank-v3.5 at 127.0.0.1: the endpoint answered {code}"
    assert next_step in error.next_step
    assert len(server.requests) == 1


def test_a_redirect_is_not_followed() -> None:
    with ScriptedServer(ranking(1, 2, 3)) as elsewhere:
        moved = status(307, {"Location": f"{elsewhere.address}/v2/rerank"})
        with ScriptedServer(moved) as server:
            error = refusal(server)
    assert "answered 307" in error.message
    assert "no redirect is followed" in error.next_step
    assert not elsewhere.requests


@pytest.mark.parametrize(
    "step",
    [
        raw(b""),
        raw(b"not json"),
        raw(b"[1, 2]"),
        raw(b"\xff\xfe"),
        raw(b'{"results": [{"index": 0'),
        raw(b'{"results": null}'),
        raw(b"null"),
        raw(b'{"results": [{"index": 0, "relevance_score": NaN}]}'),
        raw(b'{"results": [{"index": 0, "relevance_score": Infinity}]}'),
        raw(b'{"results": [{"index": 0, "relevance_score": 1e999}]}'),
        results(row(0, "NaN")),
        results(row(0, None)),
        results(row("0", 0.5)),
        results(row(-1, 0.5)),
        results(row(0.5, 0.5)),
        results(row(0, [0.5])),
        results({"index": 0}),
        results(7),
    ],
)
def test_an_answer_that_is_no_ranking_of_finite_scores_is_refused(step: Step) -> None:
    with ScriptedServer(step) as server:
        assert "not the JSON of /v2/rerank" in refusal(server).message


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (ranking(), "0 scores (0 different)"),
        (ranking(1, 2), "2 scores (2 different)"),
        (ranking(1, 2, 3, 4), "4 scores (4 different)"),
        (results(row(0, 1), row(0, 2), row(1, 3)), "3 scores (2 different)"),
        (results(row(0, 1), row(1, 2), row(3, 3)), "3 scores (3 different)"),
    ],
)
def test_a_ranking_of_other_texts_than_those_sent_is_refused(step: Step, said: str) -> None:
    with ScriptedServer(step) as server:
        assert f"the answer holds {said} for 3 texts" in refusal(server).message


@pytest.mark.parametrize(
    "step", [ranking(1, 2, 3, delay_s=60), ranking(1, 2, 3, trickle_s=0.02), status(500, trickle_s=0.02)]
)
def test_an_answer_that_is_not_whole_at_the_deadline_is_given_up(step: Step) -> None:
    with ScriptedServer(step) as server:
        error = refusal(server, deadline_s=0.2)
    assert error.message.endswith("no whole answer within 0.2 s")
    assert "rerank.timeoutS" in error.next_step


def test_headers_that_come_byte_by_byte_do_not_hold_the_recall() -> None:
    gone = threading.Event()

    def drip(listener: socket.socket) -> None:
        client, _ = listener.accept()
        with client:
            client.recv(65536)
            try:
                while not gone.wait(0.02):
                    client.sendall(b"H")
            except OSError:
                pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener,))
        thread.start()
        error = refusal(f"http://127.0.0.1:{listener.getsockname()[1]}", deadline_s=0.2)
        gone.set()
        thread.join()
    assert "no whole answer within 0.2 s" in error.message


def test_without_time_nothing_is_sent() -> None:
    with ScriptedServer(ranking(1, 2, 3)) as server:
        assert "no time was left" in refusal(server, deadline_s=0.0).message
    assert not server.requests


def test_a_connection_that_breaks_off_is_an_error_not_half_an_answer() -> None:
    with ScriptedServer(hang_up(), ranking(1, 2, 3, cut=20)) as server:
        assert "broke off (RemoteDisconnected)" in refusal(server).message
        assert "cut off" in refusal(server).message


def test_nobody_listening_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert "ConnectionRefusedError" in refusal(f"http://127.0.0.1:{port}").message


def test_an_endless_answer_is_given_up() -> None:
    with ScriptedServer(raw(b" " * (LONGEST_BODY + 1))) as server:
        assert f"longer than {LONGEST_BODY} bytes" in refusal(server).message


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8080", "ftp://host", f"http://me:{KEY}@host", "http://host:port", "http://host/?a=b", "http://["],
)
def test_an_address_that_cannot_be_is_refused_unasked(url: str) -> None:
    assert "not an http or https one" in refusal(url).message


def test_cohere_itself_is_not_asked_without_a_key_and_another_server_may_be() -> None:
    error = refusal("https://api.cohere.com", api_key=SecretStr(""))
    assert (error.message, error.next_step) == (
        "cohere:rerank-v3.5 at api.cohere.com: rerank.apiKey is not set",
        "set PELLUCID_RERANK__API_KEY",
    )
    with ScriptedServer(ranking(1, 2, 3)) as server:
        assert reranker(server, api_key=SecretStr("")).score(QUERY, TEXTS, PLENTY_S) == [1, 2, 3]
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize("more", ["\nX-Told: yes", "\r\n", " two", "é"])
def test_a_key_that_cannot_be_one_is_not_sent(more: str) -> None:
    with ScriptedServer(ranking(1, 2, 3)) as server:
        error = refusal(server, api_key=SecretStr(f"{KEY}{more}x"))
    assert "signs no key can have" in error.message
    assert not server.requests


def test_the_key_is_in_no_log_and_no_form_of_the_reranker(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with ScriptedServer(ranking(1, 2, 3), status(401)) as server:
        asked = reranker(server)
        asked.score(QUERY, TEXTS, PLENTY_S)
        refusal(server)
    assert KEY not in caplog.text + repr(asked) + str(asked) + repr(vars(asked))


def test_a_certificate_nobody_vouches_for_is_refused_before_anything_is_said(tmp_path: Path) -> None:
    certificate = tmp_path / "own.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    try:
        subprocess.run(
            [*command, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", certificate, "-out", certificate],
            check=True,
            capture_output=True,
        )
    except FileNotFoundError:
        pytest.skip("this machine has no openssl to make a certificate with")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    heard: list[bytes] = []

    def serve(listener: socket.socket) -> None:
        client, _ = listener.accept()
        with client:
            try:
                with context.wrap_socket(client, server_side=True) as secure:
                    heard.append(secure.recv(65536))
            except OSError:
                pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        error = refusal(f"https://127.0.0.1:{listener.getsockname()[1]}")
        thread.join()
    assert "the certificate was not accepted: self-signed certificate" in error.message
    assert heard in ([], [b""])


def test_it_needs_no_package_that_a_default_install_lacks() -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "for name in ('cohere', 'httpx', 'httpx2', 'requests', 'urllib3', 'openai', 'huggingface_hub'):\n"
        "    sys.modules[name] = None\n"
        "from pellucid.encoders.rerank.reranker import open_reranker\n"
        "from pellucid.settings.sections import RerankSettings\n"
        "asked = open_reranker(RerankSettings(backend='cohere', base_url=sys.argv[1]), Path())\n"
        "print(asked.score('q', ['a', 'b'], 20))"
    )
    with ScriptedServer(ranking(0.5, 0.25)) as server:
        done = subprocess.run(
            [sys.executable, "-c", script, server.address], capture_output=True, text=True, check=True
        )
    assert done.stdout.strip() == "[0.5, 0.25]"
