"""A tiny cross-encoder made here in, what the adapter makes of it out: real graphs, a real tokenizer, real onnxruntime.

The model counts the words of the query that a text holds, so each score is known by hand.
"""

import json
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import cast

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from pellucid.encoders.rerank.cross_encoder import CrossEncoder
from pellucid.encoders.rerank.files import MissingModelError, locate, pull
from pellucid.encoders.rerank.reranker import Reranker, open_reranker
from pellucid.errors import EncoderError
from pellucid.settings.sections import RerankSettings

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = (*SPECIAL, "the", "export", "runs", "at", "midnight", "figs", "timer", "会議")
QUERY = "The export runs"
TEXTS = ["the timer runs the export", "figs", "the export", "", "midnight runs runs"]
SCORES = [4.0, 0.0, 2.0, 0.0, 2.0]
PLENTY_S = 60.0
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OVERLAP = "logits"
COMMIT = "a" * 40


def constant(name: str, value: object, kind: type = np.float32) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(value, kind), name)


def _counts(**values: object) -> list[onnx.TensorProto]:
    return [constant(name, value, np.int64) for name, value in values.items()]


def save_graph(
    path: Path,
    *,
    inputs: Sequence[str] = INPUTS,
    kind: int = TensorProto.INT64,
    last: Sequence[onnx.NodeProto] = (),
    output: str = OVERLAP,
    width: int = 1,
    beside: str = "",
) -> None:
    """Write a graph: how often a query's word stands in a text, then the nodes `last` made of it.

    `beside` names a file for its weights, as exports of large models have one.
    """
    depth = len(WORDS)
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["ids"], to=TensorProto.INT64),
        helper.make_node("OneHot", ["ids", "depth", "off_on"], ["hot"]),
        helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["types", "mask"], ["second"]),
        helper.make_node("Sub", ["mask", "second"], ["first"]),
        helper.make_node("Unsqueeze", ["first", "one"], ["first_row"]),
        helper.make_node("Unsqueeze", ["second", "one"], ["second_row"]),
        helper.make_node("MatMul", ["first_row", "hot"], ["asked"]),
        helper.make_node("MatMul", ["second_row", "hot"], ["held"]),
        helper.make_node("Mul", ["asked", "held"], ["both"]),
        helper.make_node("MatMul", ["both", "weights"], ["sum"]),
        helper.make_node("Squeeze", ["sum", "one"], [OVERLAP]),
        *last,
    ]
    weights = [[0.0 if word in SPECIAL else 1.0] for word in WORDS]
    given = [helper.make_tensor_value_info(name, kind, ["batch", "length"]) for name in inputs]
    graph = helper.make_graph(
        nodes,
        "tiny",
        given,
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", width])],
        [constant("weights", weights), constant("off_on", [0, 1]), *_counts(depth=depth, one=[1])],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    if beside:
        onnx.save_model(model, path, save_as_external_data=True, location=beside, size_threshold=64)
    else:
        onnx.save_model(model, path)


def save_endless_graph(path: Path) -> None:
    """Write a graph that multiplies matrices for days."""
    square = [4, 4]
    body = helper.make_graph(
        [helper.make_node("MatMul", ["state", "zeros"], ["next"]), helper.make_node("Identity", ["on"], ["still_on"])],
        "body",
        [
            helper.make_tensor_value_info("turn", TensorProto.INT64, []),
            helper.make_tensor_value_info("on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("state", TensorProto.FLOAT, square),
        ],
        [
            helper.make_tensor_value_info("still_on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.FLOAT, square),
        ],
    )
    graph = helper.make_graph(
        [
            helper.make_node("Loop", ["turns", "yes", "zeros"], ["end"], body=body),
            helper.make_node("ReduceMax", ["input_ids"], ["most"], keepdims=0),
            helper.make_node("Cast", ["most"], ["number"], to=TensorProto.FLOAT),
            helper.make_node("ReduceMax", ["end"], ["nothing"], keepdims=0),
            helper.make_node("Add", ["number", "nothing"], ["logits"]),
        ],
        "endless",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [])],
        [constant("turns", 10**15, np.int64), constant("yes", True, np.bool_), constant("zeros", np.zeros(square))],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


def save_tokenizer(folder: Path, *, longest: object = 512) -> None:
    """Write a tokenizer of whole words that joins a pair as BERT does, with the padding an export may bring along."""
    ids = {word: place for place, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, ids[name]) for name in ("[CLS]", "[SEP]")],
    )
    tokenizer.enable_padding(length=64)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": longest}), "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A local model."""
    made = tmp_path / "models" / "tiny"
    save_graph(made / "onnx" / "model.onnx")
    save_tokenizer(made)
    return made


@pytest.fixture(autouse=True)
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the hub's client of the test's own, and no hub."""
    from huggingface_hub import constants

    cache = tmp_path / "hub" / "hub"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setenv("HF_HOME", str(cache.parent))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return cache


def refusal(model: CrossEncoder, deadline_s: float = PLENTY_S) -> EncoderError:
    with pytest.raises(EncoderError) as caught:
        model.score(QUERY, TEXTS, deadline_s)
    assert caught.value.next_step
    return caught.value


def test_each_text_has_the_models_own_score_in_the_order_given(folder: Path, tmp_path: Path) -> None:
    model = CrossEncoder(str(folder), tmp_path)
    assert model.score(QUERY, TEXTS, PLENTY_S) == SCORES
    assert model.score(QUERY, [], PLENTY_S) == []


def test_a_score_depends_on_no_other_text(folder: Path, tmp_path: Path) -> None:
    model = CrossEncoder(str(folder), tmp_path)
    assert [model.score(QUERY, [text], PLENTY_S) for text in TEXTS] == [[score] for score in SCORES]
    assert model.score(QUERY, TEXTS[::-1] * 20, PLENTY_S) == SCORES[::-1] * 20


@pytest.mark.parametrize("text", ["\0", "half \ud83d pair", "会議", "a" * 100_000, "figs " * 50_000])
def test_any_text_and_any_query_can_be_scored(folder: Path, tmp_path: Path, text: str) -> None:
    model = CrossEncoder(str(folder), tmp_path)
    assert model.score(text, ["nothing of it"], PLENTY_S) == [0.0]
    assert model.score("midnight", [text], PLENTY_S) == [0.0]


@pytest.mark.parametrize(("longest", "seen"), [(16, 13), (int(1e30), 508), (None, 508), ("many", 508), (0, 508)])
def test_a_pair_is_cut_to_what_the_tokenizer_allows_and_to_512(
    folder: Path, tmp_path: Path, longest: object, seen: int
) -> None:
    save_tokenizer(folder, longest=longest)
    # three special tokens and one of the query leave the rest to the text
    assert CrossEncoder(str(folder), tmp_path).score("figs", ["figs " * 1000], PLENTY_S) == [seen - (longest == 16)]


def test_the_settings_open_it_under_a_name_without_a_path(folder: Path, tmp_path: Path) -> None:
    found = open_reranker(RerankSettings(backend="cross-encoder"), tmp_path)
    assert found
    assert (found.name, found.is_remote) == ("cross-encoder:BAAI/bge-reranker-v2-m3", False)
    local: Reranker | None = open_reranker(RerankSettings(backend="cross-encoder", model=str(folder)), tmp_path)
    assert local
    assert local.name == "cross-encoder:tiny"
    assert local.score(QUERY, TEXTS, PLENTY_S) == SCORES
    for backend in ("late-interaction", "none"):
        assert open_reranker(RerankSettings(backend=backend), tmp_path) is None


@pytest.mark.parametrize("layout", ["onnx/model.onnx", "model.onnx", "onnx/model_int8.onnx", "tiny.onnx"])
def test_a_local_graph_may_be_a_folder_or_a_file(tmp_path: Path, layout: str) -> None:
    folder = tmp_path / "mine"
    save_graph(folder / layout)
    save_tokenizer(folder)
    assert CrossEncoder(str(folder / layout), tmp_path).score(QUERY, TEXTS, PLENTY_S) == SCORES
    if Path(layout).name == "model.onnx":
        assert CrossEncoder(str(folder), tmp_path).score(QUERY, TEXTS, PLENTY_S) == SCORES


@pytest.mark.parametrize("kind", [TensorProto.INT64, TensorProto.INT32])
def test_weights_beside_the_graph_and_narrow_ids_are_read(tmp_path: Path, kind: int) -> None:
    save_graph(tmp_path / "m" / "model.onnx", kind=kind, beside="model.onnx_data")
    save_tokenizer(tmp_path / "m")
    assert CrossEncoder(str(tmp_path / "m"), tmp_path).score(QUERY, TEXTS, PLENTY_S) == SCORES


def test_a_missing_model_names_the_command_and_is_looked_for_again(folder: Path, tmp_path: Path) -> None:
    model = CrossEncoder("our/tiny", tmp_path)
    for _ in range(2):
        error = refusal(model)
        assert error.message == "cross-encoder:our/tiny: the cross-encoder our/tiny is not on this machine"
        assert 'call("home.models", action="pull", reranker=True)' in error.next_step
    folder.rename(tmp_path / "our--tiny")
    assert model.score(QUERY, TEXTS, PLENTY_S) == SCORES


def test_a_model_in_the_cache_of_the_hubs_client_is_used(folder: Path, tmp_path: Path, hub_cache: Path) -> None:
    snapshot = hub_cache / "models--our--tiny" / "snapshots" / COMMIT
    snapshot.parent.mkdir(parents=True)
    folder.rename(snapshot)
    refs = hub_cache / "models--our--tiny" / "refs"
    refs.mkdir()
    (refs / "main").write_text(COMMIT, "utf-8")
    assert CrossEncoder("our/tiny", tmp_path).score(QUERY, TEXTS, PLENTY_S) == SCORES
    # a graph whose weights are a link in that cache would not load
    (snapshot / "onnx" / "model.onnx_data").write_bytes(b"")
    with pytest.raises(MissingModelError):
        locate("our/tiny", tmp_path)


@pytest.mark.parametrize("model", ["tiny", "our/../tiny", "our/tiny/model.bin", "https://host/our/tiny", "our/ti ny"])
def test_a_name_that_cannot_be_one_is_refused(tmp_path: Path, model: str) -> None:
    assert "neither a repository" in refusal(CrossEncoder(model, tmp_path)).message


@pytest.mark.parametrize("model", ["./model.onnx", "/model.onnx"])
def test_a_graph_that_is_in_no_folder_is_told_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingModelError):
        locate(model, tmp_path)


def test_a_folder_without_a_tokenizer_is_named(folder: Path, tmp_path: Path) -> None:
    (folder / "tokenizer.json").unlink()
    assert "with a tokenizer.json" in refusal(CrossEncoder(str(folder), tmp_path)).message


@pytest.mark.parametrize("damaged", ["tokenizer.json", "onnx/model.onnx"])
@pytest.mark.parametrize("cut", [0.0, 0.5])
def test_a_failed_load_is_remembered_with_its_reason(folder: Path, tmp_path: Path, damaged: str, cut: float) -> None:
    whole = (folder / damaged).read_bytes()
    (folder / damaged).write_bytes(whole[: int(len(whole) * cut)])
    model = CrossEncoder(str(folder), tmp_path)
    first = refusal(model)
    assert "cross-encoder:tiny cannot be loaded: " in first.message
    (folder / damaged).write_bytes(whole)
    second = refusal(model)
    assert (second.message, second is first) == (first.message, False)


def test_a_graph_that_is_no_rerankers_is_refused(folder: Path, tmp_path: Path) -> None:
    graph = folder / "onnx" / "model.onnx"
    save_graph(graph, inputs=(*INPUTS, "position_ids"))
    assert "its graph wants position_ids" in refusal(CrossEncoder(str(folder), tmp_path)).message
    two = helper.make_node("Concat", [OVERLAP, OVERLAP], ["classes"], axis=1)
    save_graph(graph, last=[two], output="classes", width=2)
    assert "gives 2 numbers a text" in refusal(CrossEncoder(str(folder), tmp_path)).message


def test_a_score_that_is_no_finite_number_is_refused(folder: Path, tmp_path: Path) -> None:
    save_graph(folder / "onnx" / "model.onnx", last=[helper.make_node("Log", [OVERLAP], ["log"])], output="log")
    assert "no finite number" in refusal(CrossEncoder(str(folder), tmp_path)).message


def test_a_model_that_fails_on_a_text_is_an_error_without_the_text(folder: Path, tmp_path: Path) -> None:
    wrong = helper.make_node("Gather", ["weights", "input_ids"], ["rows"])
    lost = helper.make_node("MatMul", ["rows", "rows"], ["odd"])
    save_graph(folder / "onnx" / "model.onnx", last=[wrong, lost], output="odd", width=3)
    error = refusal(CrossEncoder(str(folder), tmp_path))
    assert "could not score a text" in error.message
    assert "midnight" not in error.message


def test_a_pair_that_runs_past_the_deadline_is_stopped_in_its_middle(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    save_endless_graph(tmp_path / "slow" / "model.onnx")
    save_tokenizer(tmp_path / "slow")
    model = CrossEncoder(str(tmp_path / "slow"), tmp_path)
    # loading may take longer than the first deadline; then the next one finds it loaded
    for _ in range(100):
        error = refusal(model, deadline_s=0.2)
        if "still loading" not in error.message:
            break
    assert error.message.startswith("cross-encoder:slow scored 0 of 5 in ")
    assert "rerank.timeoutS" in error.next_step
    assert capfd.readouterr() == ("", "")


def test_without_time_nothing_is_scored_and_the_model_is_there_the_next_time(folder: Path, tmp_path: Path) -> None:
    model = CrossEncoder(str(folder), tmp_path)
    error = refusal(model, deadline_s=0.0)
    assert "still loading after 0 s" in error.message or "scored 0 of 5" in error.message
    assert model.score(QUERY, TEXTS, PLENTY_S) == SCORES
    assert "scored 0 of 5" in refusal(model, deadline_s=0.0).message


def test_many_threads_may_ask_one_model_at_once(folder: Path, tmp_path: Path) -> None:
    model = CrossEncoder(str(folder), tmp_path)
    answers: list[list[float]] = []
    threads = [Thread(target=lambda: answers.append(model.score(QUERY, TEXTS, PLENTY_S))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [SCORES] * 6


def python(script: str, *arguments: str | Path) -> str:
    """What a Python of its own prints; its `model` is a cross-encoder of the first argument."""
    opening = (
        "import sys; from pathlib import Path; from pellucid.encoders.rerank.reranker import open_reranker\n"
        "from pellucid.settings.sections import RerankSettings\n"
        "model = open_reranker(RerankSettings(backend='cross-encoder', model=sys.argv[1]), Path(sys.argv[1]))\n"
    )
    command = [sys.executable, "-c", opening + script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def test_opening_it_imports_no_model_library_and_a_local_one_needs_no_hub(folder: Path) -> None:
    script = (
        "heavy = {'onnxruntime', 'tokenizers', 'huggingface_hub', 'onnx', 'torch', 'fastembed'}\n"
        "print(sorted(heavy & sys.modules.keys())); model.score('figs', ['figs'], 60)\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    assert python(script, folder).splitlines() == ["[]", "['onnxruntime', 'tokenizers']"]


@pytest.mark.parametrize("lacking", ["onnxruntime", "tokenizers"])
def test_a_library_that_is_not_there_is_an_encoder_error(folder: Path, lacking: str) -> None:
    script = (
        "from pellucid.errors import EncoderError\n"
        f"sys.modules[{lacking!r}] = None\n"
        "try: model.score('figs', ['figs'], 60)\n"
        "except EncoderError as error: print(error.message, '|', error.next_step)"
    )
    said = python(script, folder)
    assert "cross-encoder:tiny cannot be loaded: ModuleNotFoundError" in said
    assert lacking in said
    assert said.endswith("| install pellucid anew, with all it depends on")


def test_a_process_that_ends_while_a_model_loads_ends_well(folder: Path) -> None:
    script = (
        "from pellucid.errors import EncoderError\n"
        "try: print(model.score('figs', ['figs'], 0))\n"
        "except EncoderError as error: print('late')"
    )
    assert python(script, folder) == "late"


class Hub(BaseHTTPRequestHandler):
    """A model hub that has one repository, `our/tiny`, with the files of its server."""

    def do_HEAD(self) -> None:
        self.reply(with_body=False)

    def do_GET(self) -> None:
        self.reply(with_body=True)

    def reply(self, *, with_body: bool) -> None:
        server = cast("HubServer", self.server)
        name = self.path.partition(f"/our/tiny/resolve/{COMMIT}/")[2]
        if name and with_body:
            server.asked.append(name)
        body = self.about(server.files) if self.path.startswith("/api/models/our/tiny") else server.files.get(name)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.send_header("ETag", f'"{zlib.crc32(name.encode()):x}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        self.wfile.write(body or b"" if with_body else b"")

    def about(self, files: dict[str, bytes]) -> bytes:
        if "/tree/" in self.path:
            return json.dumps(
                [{"type": "file", "path": name, "size": len(body), "oid": "0"} for name, body in files.items()]
            ).encode()
        return json.dumps({"id": "our/tiny", "sha": COMMIT, "private": False, "siblings": []}).encode()

    def log_message(self, *args: object) -> None:
        pass


class HubServer(ThreadingHTTPServer):
    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), Hub)


@contextmanager
def hub(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A hub with these files, which is the one that is asked: the names of the files it gave."""
    with HubServer(files) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        yield server.asked
        server.shutdown()


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_pull_takes_the_graph_its_weights_and_the_tokenizer_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_graph(tmp_path / "there" / "onnx" / "model.onnx", beside="model.onnx_data")
    save_tokenizer(tmp_path / "there")
    cache, said = tmp_path / "models", list[str]()
    more = {"README.md": b"hello", "pytorch_model.bin": b"code", "onnx/model_int8.onnx": b"other"}
    with hub(files_of(tmp_path / "there") | more, monkeypatch) as asked:
        pull("our/tiny", cache, said.append)
        wanted = ["onnx/model.onnx", "onnx/model.onnx_data", "tokenizer.json", "tokenizer_config.json"]
        assert sorted(asked) == wanted
        pull("our/tiny", cache, said.append)
    assert sorted(asked) == wanted
    assert sorted(files_of(cache / "our--tiny")) == wanted
    assert sorted(path.name for path in cache.iterdir()) == [".lock", "our--tiny"]
    assert (cache / "our--tiny").stat().st_mode & 0o077 == 0
    assert said[0] == "our/tiny: asking the model hub for our/tiny"
    assert CrossEncoder("our/tiny", cache).score(QUERY, TEXTS, PLENTY_S) == SCORES


def test_pull_of_a_named_graph_takes_that_one(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"onnx/model_int8.onnx": (folder / "onnx" / "model.onnx").read_bytes(), "onnx/model.onnx": b"large"}
    with hub(files_of(folder) | small, monkeypatch) as asked:
        pull("our/tiny/onnx/model_int8.onnx", tmp_path, print)
    assert "onnx/model.onnx" not in asked
    model = CrossEncoder("our/tiny/onnx/model_int8.onnx", tmp_path)
    assert model.score(QUERY, TEXTS, PLENTY_S) == SCORES
    assert model.name == "cross-encoder:our/tiny/onnx/model_int8.onnx"


def test_pull_of_a_repository_without_a_graph_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        hub({"tokenizer.json": b"{}", "model.safetensors": b""}, monkeypatch),
        pytest.raises(EncoderError, match=r"our/tiny has no onnx/model\.onnx or model\.onnx"),
    ):
        pull("our/tiny", tmp_path / "models", print)
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".lock"]


def test_pull_without_a_hub_gives_its_reason(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"the model hub did not give our/tiny: .*HF_HUB_OFFLINE") as caught:
        pull("our/tiny", tmp_path / "models", print)
    assert "rerank.model" in caught.value.next_step


def test_pull_fetches_no_path_and_needs_a_folder_it_can_write(folder: Path, tmp_path: Path) -> None:
    assert pull(str(folder), tmp_path, print).graph == folder / "onnx" / "model.onnx"
    with pytest.raises(MissingModelError):
        pull(str(tmp_path / "nowhere"), tmp_path, print)
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(EncoderError, match="cannot be used"):
        pull("our/tiny", tmp_path / "file", print)
