"""Commands and requests in, what a collector of OpenTelemetry receives, and what Prometheus reads, out."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kits.cli import Cli
from kits.collector import Collector, collecting
from kits.serving import Served, served
from kits.settings import toml
from pellucid.settings import load

SECRET, QUESTION = "The gate opens with the blue key", "which key opens the gate?"
TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
UNWATCHED = """
import socket, sys
from pellucid import Pellucid

def refuse(*_):
    raise AssertionError("something was sent")

socket.socket.connect = socket.create_connection = refuse
with Pellucid(sys.argv[1]) as memory:
    memory.remember("The gate opens with the blue key")
    assert memory.recall("which key opens the gate?").memories
print(*(name for name in sys.modules if name.startswith(("opentelemetry", "prometheus_client", "requests"))))
"""


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector, which the environment names."""
    with collecting() as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.address)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=mine")
        monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
        yield found


@pytest.fixture
def server(cli: Cli, tmp_path: Path) -> Iterator[Served]:
    """A server of the home that `cli` asks; it sends nothing."""
    with served(load(home=tmp_path / "home")) as found:
        yield found


@pytest.mark.requirement("OTEL-1")
def test_a_collector_receives_what_commands_do(cli: Cli, collector: Collector, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    toml(tmp_path / "home", "[telemetry]\notel = true\n")
    kept = cli("remember", SECRET, "--json").json
    cli("recall", QUESTION, "--session", "s1")
    (created,), (search,) = collector.named("create_memory"), collector.named("search_memory")
    assert created.attributes["gen_ai.memory.record.id"] == kept["memory"]["id"]
    assert search.attributes["gen_ai.conversation.id"] == "s1"
    assert {each.parent for each in collector.spans if each.name.startswith("retrieve ")} == {search.id}
    assert search.resource["service.name"] == "pellucid"
    assert search.resource["deployment.environment.name"] == "test"
    assert {(path, headers["x-key"]) for path, headers, _ in collector.requests} == {("/v1/traces", "mine")}
    assert not any(b"blue" in body or b"opens" in body for _, _, body in collector.requests)


@pytest.mark.requirement("OTEL-1")
def test_the_settings_choose_where_spans_go_and_whether_they_hold_words(
    cli: Cli, collector: Collector, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    with collecting() as other:
        toml(tmp_path / "home", f'[telemetry]\notel = true\nendpoint = "{other.address}/here"\ncontent = true\n')
        cli("remember", SECRET)
        cli("recall", QUESTION)
    assert not collector.requests
    assert {path for path, _, _ in other.requests} == {"/here"}
    (search,) = other.named("search_memory")
    assert search.attributes["gen_ai.memory.query.text"] == QUESTION
    assert SECRET in search.attributes["gen_ai.memory.records"]


@pytest.mark.requirement("OTEL-2")
def test_nothing_is_sent_whatever_the_environment_says_of_otel_or_a_folder_asks_for(
    cli: Cli, collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml(tmp_path / "work", f'[telemetry]\notel = true\ncontent = true\nendpoint = "{collector.address}"\n')
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    cli("remember", SECRET)
    assert "may not set telemetry.otel" in cli("recall", QUESTION).err
    assert not collector.requests


@pytest.mark.requirement("OTEL-2")
def test_a_folder_neither_opens_the_words_nor_moves_the_place_of_spans_that_are_on(
    cli: Cli, collector: Collector, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    toml(tmp_path / "home", "[telemetry]\notel = true\n")
    with collecting() as stranger:
        toml(tmp_path / "work", f'[telemetry]\ncontent = true\nendpoint = "{stranger.address}"\n')
        cli("remember", SECRET)
    assert not stranger.requests
    assert collector.named("create_memory")
    assert not any(b"blue" in body for _, _, body in collector.requests)


@pytest.mark.requirement("OTEL-2")
@pytest.mark.parametrize(("name", "value"), [("OTEL_TRACES_EXPORTER", "none"), ("OTEL_SDK_DISABLED", "true")])
def test_what_turns_opentelemetry_off_turns_it_off(
    cli: Cli, collector: Collector, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv("PELLUCID_TELEMETRY__OTEL", "true")
    monkeypatch.setenv(name, value)
    cli("remember", SECRET)
    assert not collector.requests


@pytest.mark.requirement("OTEL-2")
def test_a_recall_that_nobody_watches_loads_nothing_for_it_and_asks_no_network(
    tmp_path: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    (tmp_path / "home" / "models").mkdir(parents=True)
    (tmp_path / "home" / "models" / model_cache.name).symlink_to(model_cache)
    command = [sys.executable, "-c", UNWATCHED, tmp_path / "home"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


@pytest.mark.requirement("OTEL-2")
@pytest.mark.parametrize("is_silent", [False, True], ids=["not there", "silent"])
def test_a_collector_that_takes_nothing_costs_an_answer_a_moment_behind_it_and_is_named_once(
    cli: Cli, tmp_path: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch, is_silent: bool
) -> None:
    cli("remember", SECRET)
    (tmp_path / "home" / "models").mkdir(parents=True, exist_ok=True)
    (tmp_path / "home" / "models" / model_cache.name).symlink_to(model_cache)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1] if is_silent else 9}"
        asked = [sys.executable, "-m", "pellucid", "recall", QUESTION]
        monkeypatch.setenv("PELLUCID_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("PELLUCID_TELEMETRY__OTEL", "true")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    assert SECRET in done.stdout
    assert done.stderr.count("spans may be lost") == 1
    assert "Failed to export" not in done.stderr


@pytest.mark.requirement("OTEL-1")
def test_a_request_says_of_which_trace_it_is_a_part(
    cli: Cli, collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PELLUCID_TELEMETRY__OTEL", "true")
    with served(load(home=tmp_path / "home")) as server:
        server.post("/v1/memories", {"content": SECRET})
        server.post("/v1/recall", {"query": QUESTION}, traceparent=f"00-{TRACE}-{CALLER}-01")
        server.post("/v1/recall", {"query": QUESTION})
    theirs, ours = sorted(collector.named("search_memory"), key=lambda each: each.began)
    assert (theirs.trace, theirs.parent) == (TRACE, CALLER)
    assert ours.trace != TRACE
    assert ours.parent == ""


@pytest.mark.requirement("OTEL-3")
def test_a_server_tells_its_counts_to_whoever_has_every_right(cli: Cli, server: Served) -> None:
    token = cli("token", "create", "--name", "reader", "--grant", "local/default:write", "--json").json["token"]
    assert server.get("/metrics", token=None).status == 401
    assert server.get("/metrics", token=token).status == 403
    server.post("/v1/memories", {"content": SECRET})
    for query in (QUESTION, "thanks!"):
        server.post("/v1/recall", {"query": query})
    server.post("/v1/recall", {"query": ""})
    page = server.get("/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=")
    samples = {
        (each.name, *each.labels.values()): each.value
        for family in text_string_to_metric_families(page.text)
        for each in family.samples
    }
    assert samples["pellucid_recall_seconds_count", "answered"] == 1
    assert samples["pellucid_recall_seconds_count", "gated"] == 1
    assert samples["pellucid_operation_seconds_count", "memory.remember", "ok"] == 1
    assert samples["pellucid_operation_seconds_count", "recall.ask", "ok"] == 2
    assert samples["pellucid_recall_memories_total",] == 1
    assert samples["pellucid_http_requests_total", "401"] == 1
    assert samples["pellucid_database_bytes", "index.db"] > 0
    assert "blue" not in page.text


@pytest.mark.requirement("OTEL-3")
def test_openmetrics_is_told_to_whoever_accepts_it(server: Served) -> None:
    page = server.get("/metrics", Accept="application/openmetrics-text; version=1.0.0")
    assert page.headers["content-type"].startswith("application/openmetrics-text")
    assert page.text.endswith("# EOF\n")
