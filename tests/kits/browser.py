"""A served home in, a real browser that looks at it out: Debian's Chromium, where it is installed."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

from kits.serving import Served

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


def link(server: Served, token: str | None = "") -> str:
    """A link that lets one browser in, once."""
    path = server.post("/ui/link", token=token).json["path"]
    return f"http://{server.host}:{server.port}{path}"


class Browser:
    """A browser that keeps count of what its pages asked for, and of what went wrong in them."""

    def __init__(self, context: Any, server: Served) -> None:
        self.server, self.context, self.page = server, context, context.new_page()
        self.asked: list[str] = []
        self.wrong: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda said: self.wrong.append(said.text) if said.type == "error" else None)
        self.page.on("dialog", lambda dialog: (self.wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    @property
    def root(self) -> str:
        return f"http://{self.server.host}:{self.server.port}"

    def enter(self) -> None:
        """Let it in as the owner."""
        self.page.goto(link(self.server))

    def go(self, path: str) -> Any:
        """Open a page of ours; what was answered."""
        return self.page.goto(f"{self.root}{path}")

    @property
    def elsewhere(self) -> list[str]:
        """What was asked of anybody else."""
        return [url for url in self.asked if not url.startswith((self.root, "data:", "blob:"))]

    @contextmanager
    def beside(self, *, dark: bool = False, script: bool = True, width: int = 1280) -> "Generator[Browser]":
        """Another browser of the same server that was let in, for the block; two at once are one program."""
        made = _let_in(self.context.browser, self.server, dark=dark, script=script, width=width)
        try:
            yield made
        finally:
            made.context.close()


@contextmanager
def browsing(server: Served, *, dark: bool = False, script: bool = True, width: int = 1280) -> Generator[Browser]:
    """A browser that was let in, for the block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        try:
            yield _let_in(chromium, server, dark=dark, script=script, width=width)
        finally:
            chromium.close()


def _let_in(chromium: Any, server: Served, *, dark: bool, script: bool, width: int) -> Browser:
    context = chromium.new_context(
        color_scheme="dark" if dark else "light",
        java_script_enabled=script,
        viewport={"width": width, "height": 900},
    )
    made = Browser(context, server)
    made.enter()
    return made


class Visitor:
    """A browser without a screen: it keeps its cookie, and sends forms as a page would."""

    def __init__(self, server: Served, token: str | None = "") -> None:
        self.server = server
        self.cookie = ""
        entered = self.ask("GET", link(server, token).partition(str(server.port))[2])
        self.cookie = dict(entered.headers)["set-cookie"].partition(";")[0]
        home = self.get("/ui/").text
        self.csrf = home.partition('name="csrf" value="')[2].partition('"')[0]

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Any:
        """One request with the cookie and no token."""
        cookie = {"Cookie": self.cookie} if self.cookie else {}
        return self.server.ask(method, path, body, token=None, **cookie, **headers)

    def get(self, path: str, **headers: str) -> Any:
        return self.ask("GET", path, **headers)

    def send(self, path: str, csrf: str | None = None, **fields: str) -> Any:
        """A form of a page."""
        from urllib.parse import urlencode

        words = urlencode({**fields, "csrf": self.csrf if csrf is None else csrf}).encode()
        return self.ask("POST", path, words, Content_Type="application/x-www-form-urlencoded")
