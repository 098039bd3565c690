"""A built graph whose bytes somebody changed: found at the next opening, built again, said; vectors as before."""

import mmap
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pellucid.app import open_app
from pellucid.encoders.minilm import graph_record
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.encoders.minilm.provision import MODEL_NAME, TOKENIZER, WEIGHTS, status
from pellucid.encoders.minilm.session import graph_path
from pellucid.errors import EncoderError
from pellucid.operations.admin.health import examine_home
from pellucid.settings import Settings

TEXT = "the export moved to a timer"


@pytest.fixture
def cache(minilm: MiniLM, model_cache: Path, tmp_path: Path) -> Path:
    """A model folder of its own, opened once."""
    minilm.encode_query("the graph is built now")
    graph = graph_path(model_cache, "int8")
    for path in (model_cache / TOKENIZER, graph, graph_record.record_path(graph)):
        shutil.copy(path, tmp_path / path.name)
    (tmp_path / WEIGHTS).symlink_to(model_cache / WEIGHTS)
    vector(tmp_path)
    return tmp_path


def vector(cache: Path, said: list[str] | None = None) -> bytes:
    return MiniLM(cache, report=(said if said is not None else []).append).encode_query(TEXT).vector.tobytes()


def flipped(data: bytes) -> bytes:
    """One byte of the word table other: the graph still loads, and gives other vectors."""
    middle = len(data) // 4
    return data[:middle] + bytes([data[middle] ^ 0x40]) + data[middle + 1 :]


def overwrite(graph: Path, data: bytes) -> None:
    graph.write_bytes(data)


def replace(graph: Path, data: bytes) -> None:
    other = graph.with_name("other")
    other.write_bytes(data)
    other.replace(graph)


def write_through_a_map(graph: Path, data: bytes) -> None:
    with graph.open("r+b") as stream, mmap.mmap(stream.fileno(), 0) as mapped:
        mapped[:] = data
        mapped.flush()


@pytest.mark.parametrize("write", [overwrite, replace, write_through_a_map])
def test_one_changed_byte_with_size_and_time_kept_is_found_and_the_graph_built_again(
    cache: Path, write: Callable[[Path, bytes], None]
) -> None:
    graph, expected = graph_path(cache, "int8"), vector(cache)
    good, before = graph.read_bytes(), graph.stat()
    write(graph, flipped(good))
    os.utime(graph, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (graph.stat().st_size, graph.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert status(cache).changed == (graph.name,)
    said: list[str] = []
    assert vector(cache, said) == expected
    assert any("was changed after it was built" in each for each in said)
    assert graph.read_bytes() == good
    assert status(cache).changed == ()


def test_a_graph_without_a_record_is_built_again(cache: Path) -> None:
    graph, expected = graph_path(cache, "int8"), vector(cache)
    good = graph.read_bytes()
    graph.write_bytes(flipped(good))
    graph_record.record_path(graph).write_text("{", "utf-8")
    assert vector(cache) == expected
    assert graph.read_bytes() == good


def test_a_changed_graph_is_not_run_where_it_cannot_be_built_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch, nothing_installed: None
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(cache / "hub"))
    (cache / WEIGHTS).unlink()
    graph = graph_path(cache, "int8")
    graph.write_bytes(flipped(graph.read_bytes()))
    with pytest.raises(EncoderError):
        vector(cache)


def test_a_copied_graph_is_read_whole_once_and_then_known_by_its_stamp(cache: Path) -> None:
    graph = graph_path(cache, "int8")
    replace(graph, graph.read_bytes())
    record = graph_record.record_path(graph)
    before = record.read_bytes()
    assert graph_record.check(graph, whole=True) == "valid"
    assert record.read_bytes() == before, "looking changes nothing"
    assert graph_record.check(graph) == "valid"
    renewed = record.read_bytes()
    assert renewed != before
    assert graph_record.check(graph) == "valid"
    assert record.read_bytes() == renewed
    assert record.stat().st_mode & 0o777 == 0o600


def test_a_changed_tokenizer_is_replaced_by_the_one_expected(cache: Path) -> None:
    expected, tokenizer = vector(cache), cache / TOKENIZER
    good = tokenizer.read_bytes()
    tokenizer.write_bytes(good.replace(b'"export"', b'"exp0rt"'))
    assert tokenizer.read_bytes() != good
    assert status(cache).files[TOKENIZER] == "damaged"
    assert vector(cache) == expected
    assert tokenizer.read_bytes() == good


def test_doctor_says_that_a_graph_or_a_file_of_the_model_was_changed(
    cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("doctor")
    app = open_app(Settings(home=folder / "home"))
    try:
        models = folder / "home" / "models" / MODEL_NAME
        shutil.copytree(cache, models, symlinks=True)
        assert vector(models)
        assert examine_home(app).findings == ()
        graph = graph_path(models, "int8")
        graph.write_bytes(flipped(graph.read_bytes()))
        (models / TOKENIZER).write_bytes(b"{}")
        told = {(each.check, Path(each.subject).name) for each in examine_home(app).findings}
        assert told == {("model", graph.name), ("model", TOKENIZER)}
    finally:
        app.close()
