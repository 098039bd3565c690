"""Over HTTP: the table's operations, in the form that is asked for, with errors that say what to do."""

import io
import json
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.serving import Served, served
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.settings import Settings
from pellucid.settings.sections import ServerSettings

NOTES = "User: We decided to rotate the signing keys every 90 days.\n\nAssistant: Noted: keys rotate every 90 days.\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
        home = tmp_path_factory.mktemp("served") / "home"
        with served(Settings(home=home, server=ServerSettings(body_mb=1, import_mb=1))) as one:
            for text in ("The cache TTL is 300 seconds", "The replica lag alarm fires at 200 ms", "Ana owns billing"):
                assert one.post("/v1/memories", {"content": text}).status == 200
            yield one


def code(server: Served, method: str, path: str, body: object = None, **how: str) -> tuple[int, str]:
    answer = server.ask(method, path, body, **how)
    assert set(answer.json) >= {"error", "code", "message", "nextStep"}
    return answer.status, answer.json["code"]


def test_an_answer_comes_in_the_form_that_is_asked_for(server: Served) -> None:
    recall = server.post("/v1/recall", {"query": "how long is the cache TTL"}).json["recallId"]
    kinds = {"json": "application/json", "text": "text/plain", "markdown": "text/markdown", "html": "text/html"}
    for form, media in kinds.items():
        named = server.get(f"/v1/snapshots/{recall}?format={form}")
        accepted = server.get(f"/v1/snapshots/{recall}", Accept=f"{media}, */*;q=0.1")
        assert named.headers["content-type"].startswith(media)
        assert named.body == accepted.body
    assert server.get("/v1/memories").json["total"] >= 3
    assert server.get("/v1/memories", Accept="text/*").text.startswith("ID ")
    assert code(server, "GET", "/v1/memories?format=html") == (400, "invalid_format")
    assert code(server, "GET", "/v1/memories", Accept="image/png") == (406, "not_acceptable")


def test_a_query_string_says_what_a_command_line_says(server: Served) -> None:
    answer = server.get("/v1/recall/xray?query=cache&topK=1&settings=legWeights.vector=2&since=2020-01-01")
    snapshot = answer.json["snapshot"]
    assert len(snapshot["results"]) == 1
    assert snapshot["weights"]["vector"] == 2
    assert answer.headers["cache-control"] == "no-store"
    assert "etag" not in answer.headers
    assert server.get("/v1/snapshots?since=7d&limit=1").json["recalls"]
    assert server.get("/v1/memories?status=any").json["total"] >= 3


def test_what_has_not_changed_is_not_sent_again(server: Served) -> None:
    recall = server.post("/v1/recall", {"query": "who owns billing"}).json["recallId"]
    first = server.get(f"/v1/snapshots/{recall}")
    again = server.get(f"/v1/snapshots/{recall}", If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    other = server.get(f"/v1/snapshots/{recall}?format=text", If_None_Match=first.headers["etag"])
    assert other.status == 200


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("GET", "/v1/nosuch", None, (404, "not_found")),
        ("DELETE", "/v1/memories", None, (405, "wrong_method")),
        ("OPTIONS", "/v1/memories", None, (405, "wrong_method")),
        ("GET", "/v1/memories/mem_none", None, (404, "not_found")),
        ("GET", "/v1/memories?limit=none", None, (400, "invalid_limit")),
        ("GET", "/v1/memories?limit=1&limit=2", None, (400, "invalid_request")),
        ("GET", "/v1/memories?paths=/etc/passwd", None, (400, "invalid_request")),
        ("GET", "/v1/memories?namespace=..%2F..%2Fetc", None, (400, "invalid_namespace")),
        ("GET", "/v1/memories/%FF", None, (400, "invalid_text")),
        ("GET", "/v1/recall/xray", None, (400, "missing_query")),
        ("POST", "/v1/recall", {"query": ""}, (400, "missing_query")),
        ("POST", "/v1/recall", {"query": "x", "also": ["other/place"]}, (400, "invalid_request")),
        ("POST", "/v1/recall", {"query": "x", "namespace": "other/place"}, (400, "invalid_request")),
        ("POST", "/v1/recall", {"query": "x", "budget": -1}, (400, "invalid_budget")),
        ("POST", "/v1/recall?query=x", {}, (400, "misplaced_field")),
        ("POST", "/v1/recall", [1], (400, "invalid_json")),
        ("POST", "/v1/recall", {"query": 5}, (400, "invalid_query")),
        ("POST", "/v1/recall", {"query": None}, (400, "invalid_query")),
        ("POST", "/v1/recall", {"query": "x" * 20_001}, (400, "invalid_query")),
        ("POST", "/v1/recall", {"query": "x", "topK": 10**30}, (400, "invalid_request")),
        ("GET", "/v1/memories?namespace=" + "a" * 5_000 + "/b", None, (400, "invalid_namespace")),
        ("POST", "/v1/documents/remove", {"names": [""]}, (404, "not_found")),
        ("POST", "/v1/memories", {"content": "\ud800"}, (400, "invalid_text")),
        ("POST", "/v1/undo", {"target": "op_none"}, (404, "not_found")),
    ],
)
def test_what_is_wrong_is_said_in_one_form(
    server: Served, method: str, path: str, body: object, expected: tuple[int, str]
) -> None:
    assert code(server, method, path, body) == expected


def test_a_body_is_json_and_no_larger_than_is_allowed(server: Served) -> None:
    assert code(server, "POST", "/v1/recall", b"query=x", Content_Type="text/plain") == (415, "wrong_media_type")
    assert code(server, "POST", "/v1/recall", b"{", Content_Type="application/json") == (400, "invalid_json")
    utf_16 = '{"query": "x"}'.encode("utf-16")
    for body, word in (
        (b'{"query": "\xff"}', "invalid_text"),
        (utf_16, "invalid_text"),
        (b'{"query": NaN}', "invalid_json"),
    ):
        assert code(server, "POST", "/v1/recall", body, Content_Type="application/json") == (400, word)
    number = b'{"query": "x", "topK": ' + b"9" * 5_000 + b"}"
    assert code(server, "POST", "/v1/recall", number, Content_Type="application/json") == (400, "invalid_json")
    deep = b'{"settings": ' + b"[" * 100_000
    assert code(server, "POST", "/v1/recall", deep, Content_Type="application/json") == (400, "invalid_json")
    large = b'{"query": "' + b"x" * (1 << 20) + b'"}'
    assert code(server, "POST", "/v1/recall", large, Content_Type="application/json") == (413, "too_large")
    assert code(server, "POST", "/v1/import", b"x" * ((1 << 20) + 1)) == (413, "too_large")
    assert code(server, "POST", "/v1/import?mode=extract&mode=both", b"Ann: hello")[0] == 400
    assert not list((server.home / "incoming").iterdir())


def test_errors_name_fields_as_json_does(server: Served) -> None:
    told = server.post("/v1/recall", {"query": "x", "topK": 0}).json
    assert told["nextStep"] == "/openapi.json says what it takes"
    assert '"topK"' in told["message"]
    assert "--" not in told["message"]


def test_a_transcript_is_sent_and_told_as_it_is_read(server: Served) -> None:
    answer = server.ask("POST", "/v1/import?namespace=acme/notes", NOTES.encode(), Accept="application/x-ndjson")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert all(set(line) == {"done", "of"} for line in lines[:-1])
    assert lines[-1]["answer"]["turnsTaken"] == 2
    again = server.ask("POST", "/v1/import?namespace=acme/notes", NOTES.encode()).json
    assert (again["turnsTaken"], again["dropped"]) == (0, {"already-imported": 2})
    assert not list((server.home / "incoming").iterdir())
    assert code(server, "POST", "/v1/import", b"\x00\x01 nothing", Accept="application/x-ndjson")[0] == 400


@pytest.mark.requirement("HTTP-5")
def test_a_repeated_request_does_nothing_again(server: Served) -> None:
    key = {"Idempotency_Key": "k1"}
    first = server.post("/v1/memories", {"content": "Deploys are on Tuesdays"}, **key)
    again = server.post("/v1/memories", {"content": "Deploys are on Tuesdays"}, **key)
    assert again.body == first.body
    assert code(server, "POST", "/v1/memories", {"content": "Other"}, **key) == (409, "conflict")
    fails = {"Idempotency_Key": "k2"}
    assert code(server, "POST", "/v1/memories", {"content": ""}, **fails)[0] == 400
    assert server.post("/v1/memories", {"content": "Lunch is at noon"}, **fails).status == 200
    gone = first.json["memory"]["id"] if "memory" in first.json else first.json["memoryId"]
    assert server.post("/v1/forget", {"memoryIds": [gone], "preview": False}).status == 200
    assert b"Tuesdays" not in server.post("/v1/memories", {"content": "Something else"}, **key).body


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/forget", {"memoryIds": ["ID"]}),
        ("/v1/purge", {"category": "skill"}),
        ("/v1/trust/rollback", {"sessionId": "s-gone"}),
    ],
)
def test_what_cannot_be_taken_back_easily_is_a_preview_until_it_is_confirmed(
    server: Served, path: str, body: dict[str, object]
) -> None:
    said = {"content": f"The {path[4:9]} lamp is lit at dusk", "category": "skill", "sessionId": "s-gone"}
    kept = server.post("/v1/memories", said).json["memory"]["id"]
    named = json.loads(json.dumps(body).replace("ID", kept))
    before = server.get(f"/v1/memories/{kept}").body
    shown = server.post(path, named).json
    assert shown["done"] is False
    assert server.get(f"/v1/memories/{kept}").body == before
    assert server.post(path, {**named, "preview": False}).json["done"] is True
    assert server.get(f"/v1/memories/{kept}").body != before


def test_nobody_is_let_in_without_a_token_or_by_another_name(server: Served) -> None:
    unknown = f"pel_{'0' * 12}_{'0' * 64}"
    for path in ("/v1/memories", "/v1/nosuch", "/openapi.json", "/mcp"):
        for token in (None, unknown, "nothing", server.token[:-1]):
            assert code(server, "GET", path, token=token) == (401, "no_token")
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example", "[::1", ""):
        assert code(server, "GET", "/v1/memories", Host=host)[0] in (400, 421)
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port + 1}", "file://", "http://["):
        assert code(server, "POST", "/v1/recall", {"query": "x"}, Origin=origin) == (403, "foreign_origin")
    for site in ("cross-site", "same-site"):
        assert code(server, "GET", "/v1/memories", Sec_Fetch_Site=site) == (403, "foreign_origin")
    own = server.get("/v1/memories", Origin=f"http://127.0.0.1:{server.port}", Sec_Fetch_Site="same-origin")
    assert own.status == 200
    assert not [name for name in own.headers if name.startswith("access-control")]


def test_it_says_whether_it_is_well_to_anybody(server: Served) -> None:
    assert server.get("/healthz", token=None).json == {"ok": True}
    assert server.get("/readyz", token=None).json == {"ok": True}


def test_programs_of_the_same_user_find_it_and_nobody_else_may_read_that(server: Served) -> None:
    place = server.home / "server.json"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert set(json.loads(place.read_text("utf-8"))) == {"pid", "host", "port", "startedAt", "token"}


def test_a_log_says_nothing_of_what_was_asked(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    log = io.StringIO()  # what pytest captures is emptied as it is read, and loses what another thread writes meanwhile
    monkeypatch.setattr("sys.stderr", log)
    asked = server.post("/v1/recall", {"query": "a very private question"}), server.get("/v1/graph/PrivateThing")
    ids = {each.headers["pellucid-request-id"] for each in asked}
    for _ in range(1_000):  # a request is logged once it is answered, and jobs are in between
        said = log.getvalue()
        if all(f'{each}"' in said for each in ids) and said.endswith("\n"):
            break
        time.sleep(0.01)
    of_requests = [line for line in map(json.loads, said.splitlines()) if line.get("request") in ids]
    assert len(of_requests) == 2
    for line in of_requests:
        assert {"request", "method", "operation", "asker", "status", "ms"} <= set(line)
    assert "private" not in said.lower()
    assert server.token not in said


def test_what_is_no_http_is_refused_and_nothing_falls_over(server: Served) -> None:
    for raw in (
        b"\x00\xff\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET /v1/memories HTTP/1.1\r\nHost: a\r\n" + b"x: y\r\n" * 9_000,
    ):
        with socket.create_connection((server.host, server.port), timeout=10) as line:
            line.sendall(raw)
            line.shutdown(socket.SHUT_WR)
            assert line.recv(64).startswith(b"HTTP/1.1 4")
    assert server.get("/healthz").status == 200


def test_the_vault_is_followed(server: Served) -> None:
    path: Path = next(each for each in server.home.glob("vault/facts/*/*.md") if "billing" in each.read_text("utf-8"))
    path.write_text(path.read_text("utf-8").replace("Ana owns billing", "Bo owns billing"), "utf-8")
    for _ in range(200):
        if "Bo owns billing" in server.get("/v1/memories?format=text").text:
            return
    pytest.fail("the edit was not taken over")
