"""pyproject.toml, the pins and docs/dependencies.md in, every place where they disagree out."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from kits.snippets import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
GROUPS = PROJECT["dependency-groups"]
ASKED = {
    "constraints.txt": PROJECT["project"]["dependencies"],
    "constraints-server.txt": PROJECT["project"]["optional-dependencies"]["server"],
    "constraints-otel.txt": PROJECT["project"]["optional-dependencies"]["otel"],
    "constraints-build.txt": GROUPS["build"],
    "constraints-dev.txt": [line for line in GROUPS["dev"] if isinstance(line, str)],
    "constraints-model.txt": GROUPS["model"],
}
ENTRY = re.compile(
    r"^(?P<pin>[^\s#][^\\\n]*?) *\\\n(?P<hashes>(?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE
)
DEFAULT_INSTALL_AT_MOST = 40
NOT_WANTED = {"litellm", "torch"}


def pins(file: str) -> list[Requirement]:
    """The pinned and hashed packages of a constraints file."""
    return [Requirement(entry["pin"]) for entry in ENTRY.finditer((ROOT / file).read_text("utf-8"))]


def name(requirement: str | Requirement) -> str:
    return canonicalize_name(Requirement(str(requirement)).name)


@pytest.mark.parametrize("file", ASKED)
def test_every_requirement_is_pinned_inside_its_bounds_with_hashes(file: str) -> None:
    pinned = pins(file)
    assert all(str(pin.specifier).startswith("==") for pin in pinned)
    for line in ASKED[file]:
        asked = Requirement(line)
        versions = [str(pin.specifier).removeprefix("==") for pin in pinned if name(pin) == name(asked)]
        assert versions, f"{line} has no pin; run make pins"
        assert all(version in asked.specifier for version in versions), f"{line} is pinned to {versions}; run make pins"


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_a_default_install_is_small_and_brings_nothing_unwanted(python: str) -> None:
    linux = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}
    here = {name(pin) for pin in pins("constraints.txt") if not pin.marker or pin.marker.evaluate(linux)}
    assert 10 < len(here) <= DEFAULT_INSTALL_AT_MOST
    assert not here & NOT_WANTED


def test_every_dependency_has_its_one_line_reason() -> None:
    rows = re.findall(
        r"^\| `([^`]+)` \| (.+) \|$", (ROOT / "docs" / "dependencies.md").read_text("utf-8"), re.MULTILINE
    )
    asked = {name(line) for lines in ASKED.values() for line in lines}
    assert {canonicalize_name(row) for row, _ in rows} == asked
