"""docs/http.md in, each of its requests asked of a real server out."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kits.serving import served
from kits.snippets import FENCE, ROOT
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.settings import Settings

PAGE = ROOT / "docs" / "http.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="the page's requests are made by curl")
def test_every_request_of_the_page_is_answered(tmp_path: Path, minilm: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
    blocks = [each["body"] for each in FENCE.finditer(PAGE.read_text("utf-8")) if each["info"].strip() == "sh"]
    requests = [each for block in blocks for each in re.split(r"^(?=curl)", block, flags=re.MULTILINE) if each.strip()]
    assert len(requests) >= 6
    with served(Settings(home=tmp_path / "home")) as server:
        named = {"PELLUCID": f"http://{server.host}:{server.port}", "TOKEN": server.token, "PATH": os.defpath}
        said = [
            subprocess.run(
                ["/bin/sh", "-c", each], env=named, cwd=ROOT, capture_output=True, text=True, check=True
            ).stdout
            for each in requests
        ]
    assert '"recallId"' in said[1]
    assert said[2].startswith("# Recall X-ray")
    assert said[3].startswith("=== Recall X-ray ===")
    assert said[5].splitlines()[-1].startswith('{"answer": ')
