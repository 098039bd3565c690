"""The code and its pages in, what is undocumented, untrue or out of place out."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kits.snippets import ROOT
from pellucid.settings import load

OUT_OF_PLACE = {
    "a machine's path": r"(?<![\w./~$}-])/(?:work|root)/",
    "a registry's host": r"\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|crates\.io|debian\.org)\b",
    "an index address": r"(?:index-url|find-links)[ =\"']+\S*/",
    "a key": r"\b(?:sk-[\w-]{20,}|gh[pousr]_\w{30,}|hf_\w{30,}|AKIA[0-9A-Z]{16}|xox[bp]-[\w-]{20,})"
    r"|^-----BEGIN [A-Z ]*PRIVATE KEY-----$",
}
SETTING_ROW = re.compile(r"^\| `\w+` \| `PELLUCID_(\w+)` \|", re.MULTILINE)


@pytest.mark.parametrize("check", ["check_sizes.py", "codemap.py --check", "docs_reference.py --check"])
def test_sizes_codemap_and_references_hold(check: str) -> None:
    name, *rest = check.split()
    command = [sys.executable, ROOT / "tools" / name, *rest]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_documented_environment_name_sets_its_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = SETTING_ROW.findall((ROOT / "docs" / "settings.md").read_text("utf-8"))
    defaults = load(home=tmp_path).model_dump(mode="json")
    for name in names:
        value: Any = defaults
        for part in name.lower().split("__"):
            value = value[part]
        monkeypatch.setenv(f"PELLUCID_{name}", (value or "given") if isinstance(value, str) else json.dumps(value))
    read = load().model_dump(exclude_unset=True)
    assert {name.lower() for name in names} == set(leaves(read))


def leaves(table: dict[str, Any], prefix: str = "") -> list[str]:
    """The names of all plain values, sections joined by two underscores."""
    nested = [leaves(value, f"{prefix}{name}__") for name, value in table.items() if isinstance(value, dict) and value]
    plain = [f"{prefix}{name}" for name, value in table.items() if not (isinstance(value, dict) and value)]
    return plain + [name for section in nested for name in section]


@pytest.mark.parametrize("what", OUT_OF_PLACE)
def test_no_file_holds(what: str) -> None:
    pattern = re.compile(OUT_OF_PLACE[what])
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    found: list[str] = []
    for path in (ROOT / name for name in names if name):
        if path.is_file():
            lines = enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1)
            found.extend(f"{path.relative_to(ROOT)}:{number}" for number, line in lines if pattern.search(line))
    assert not found, f"{what} stands in {found}"
