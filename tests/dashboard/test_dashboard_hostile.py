"""Two hundred hostile texts wherever somebody else's words may stand: none runs, and none asks anybody else."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from kits.browser import Browser, browsing, needs_chromium
from kits.serving import Served, served
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.settings import Settings

ELSEWHERE = "https://elsewhere.example"
RUNS = (
    "<script>alert({n})</script>",
    "<img src=x onerror=alert({n})>",
    f"<img src={ELSEWHERE}/{{n}}.png>",
    "<svg onload=alert({n})>",
    f"<iframe src='{ELSEWHERE}/{{n}}'></iframe>",
    "<a href='javascript:alert({n})'>here</a>",
    "[here](javascript:alert({n}))",
    f"![look]({ELSEWHERE}/{{n}}.png)",
    f"<link rel=stylesheet href={ELSEWHERE}/{{n}}.css>",
    f"<style>@import '{ELSEWHERE}/{{n}}.css';</style>",
    f"<div style='background:url({ELSEWHERE}/{{n}})'>",
    "<input autofocus onfocus=alert({n})>",
    "<details open ontoggle=alert({n})>",
    "<math><mtext></p><img src=x onerror=alert({n})>",
    f"<base href='{ELSEWHERE}/{{n}}/'>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}/{{n}}'>",
    f"<form action='{ELSEWHERE}/{{n}}'><button autofocus>go</button></form>",
    f"<div hx-get='{ELSEWHERE}/{{n}}' hx-trigger=load>x</div>",
    "<div hx-on:load='alert({n})'>x</div>",
    "{{{{ ''.__class__.__mro__ }}}}{{% print({n}) %}}",
)
INSIDE = (
    "{0}",
    '">{0}',
    "'>{0}",
    "</textarea>{0}",
    "</title>{0}",
    "</script>{0}",
    "--></style>{0}",
    "`{0}",
    "> - 1. {0}",
    "&lt;{0}&#x0a;\u202e{0}",
)
PAYLOADS = [inside.format(run.format(n=n)) for n, (run, inside) in enumerate(product(RUNS, INSIDE))]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
        home: Path = tmp_path_factory.mktemp("hostile") / "home"
        with served(Settings(home=home)) as one:
            yield one


def _said(server: Served) -> tuple[list[str], list[str]]:
    """A memory of each text, with it in a tag and as its thing, and a question of it; the ids of both."""
    memories, recalls = list[str](), list[str]()
    for number, text in enumerate(PAYLOADS):
        words = {"content": f"The gate {number} says {text}", "tags": [text[:60]], "entityRef": text[:80]}
        kept = server.post("/v1/memories", words)
        if kept.status == 400:  # such a thing may have no such name: its words still stand
            kept = server.post("/v1/memories", {"content": words["content"]})
        memories.append(kept.json["memory"]["id"])
        recalls.append(server.post("/v1/recall", {"query": f"gate {number} {text}"}).json["recallId"])
    return memories, recalls


def _is_calm(browser: Browser, where: str) -> None:
    assert not browser.wrong, (where, browser.wrong)
    assert not browser.elsewhere, (where, browser.elsewhere)
    assert browser.page.url.startswith(browser.root), where


@needs_chromium
@pytest.mark.slow
def test_two_hundred_hostile_texts_run_nowhere_and_ask_nobody(server: Served) -> None:
    assert len(set(PAYLOADS)) == 200
    memories, recalls = _said(server)
    here = "/ui/local/default"
    with browsing(server) as browser:
        pages = [f"{here}{each}" for each in ("", "/memories", "/recalls", "/activity", "/review", "/health")]
        pages += [f"{here}/memories/{each}" for each in memories] + [f"{here}/recalls/{each}" for each in recalls[::10]]
        for page in pages:
            answer = browser.go(page)
            assert answer.status == 200, page
            _is_calm(browser, page)
