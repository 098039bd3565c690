"""Two hundred hostile texts wherever somebody else's words may stand: none runs, and none asks anybody else."""

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from kits.browser import Browser, browsing, needs_chromium
from kits.serving import Served, served
from pellucid.app import open_app
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
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
_KINDS = ("", "/memories", "/recalls", "/activity", "/review", "/health")
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


def _written(server: Served, folder: Path) -> list[str]:
    """A document of each text, with it as its title, in its header and as its file's name; the ids of all."""
    for number, text in enumerate(PAYLOADS):
        head = json.dumps({"id": f"SPEC-{number}", "status": text, "owner": text})
        named = text.replace("/", "\u2215").replace("\u202e", "")  # no slash; what is hidden is refused in names
        (folder / f"{number} {named}.md").write_text(f"---\n{head}\n---\n\n# {text}\n\n## {text}\n\n{text}\n", "utf-8")
    with closing(open_app(Settings(home=server.home))) as app:
        index_docs(app, IndexDocsInput(namespace="local/default", paths=(folder,)))
    found = server.get("/v1/documents?namespace=local/default").json["documents"]
    assert len(found) == len(PAYLOADS)
    assert sum("<" in each["path"] for each in found) > 100
    assert sum("<" in each["title"] for each in found) > 50
    return [f"/documents/{each['id']}" for each in found]


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
        pages = [f"{here}{each}" for each in _KINDS]
        pages += [f"{here}/memories/{each}" for each in memories] + [f"{here}/recalls/{each}" for each in recalls[::10]]
        for page in pages:
            answer = browser.go(page)
            assert answer.status == 200, page
            _is_calm(browser, page)


@needs_chromium
@pytest.mark.slow
def test_documents_with_hostile_names_titles_and_headers_run_nowhere_and_ask_nobody(
    server: Served, tmp_path: Path
) -> None:
    documents = _written(server, tmp_path)
    here = "/ui/local/default"
    with browsing(server) as browser:
        for page in (here, *(f"{here}{each}" for each in ("/documents", "/memories", *documents))):
            answer = browser.go(page)
            assert answer.status == 200, page
            _is_calm(browser, page)
