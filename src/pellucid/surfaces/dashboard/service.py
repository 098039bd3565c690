"""A request of a browser in, a page out: the caller is checked first, then the page is made in a thread.

A browser is let in by a link that works once (`pellucid dashboard` prints it) or by a token that is typed in. After
that a cookie identifies it, which no page of another site can make it send. A form must also send back a secret that
only our own pages contain.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pellucid.deadline import Deadline
from pellucid.errors import PellucidError
from pellucid.graph.svg_marks import page_style
from pellucid.surfaces.dashboard.acts import act
from pellucid.surfaces.dashboard.pages import PAGES
from pellucid.surfaces.dashboard.rendering import render
from pellucid.surfaces.dashboard.sessions import COOKIE, Notice, SignedInSession, SignedInSessions
from pellucid.surfaces.dashboard.view import ROOT, Page, PageView
from pellucid.surfaces.host import Host
from pellucid.surfaces.http.bodies import GoneError, chunks, query_words
from pellucid.surfaces.http.gate import Gate
from pellucid.surfaces.http.refusals import HttpError, WholeAnswer, is_unexpected, safe_error, status_of, unknown_place
from pellucid.surfaces.spelling import add_reference

if TYPE_CHECKING:
    from pellucid.surfaces.http.service import Exchange

HTML = "text/html; charset=utf-8"
_STATIC = {
    "icon.svg": "image/svg+xml",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "copy.js": "text/javascript; charset=utf-8",
    "graph.css": "text/css; charset=utf-8",
    "pan.js": "text/javascript; charset=utf-8",
    "pages.css": "text/css; charset=utf-8",
}
_ELSEWHERE = {"/": f"{ROOT}/", "/favicon.ico": f"{ROOT}/static/icon.svg"}
"""Redirects for paths that a browser asks for by itself."""
_POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
_HEADERS = (
    ("Content-Security-Policy", _POLICY),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Referrer-Policy", "same-origin"),  # under `no-referrer`, a browser calls the origin of our own forms `null`
)
_FORM_BYTES = 1 << 20
_FEW_S = 30.0
_WHOLE = ":path"
"""Follows a name in a page's path that takes the whole rest of the path, slashes too."""


Threads = Callable[["Exchange", "PageWork", Deadline], Awaitable[WholeAnswer | None]]
"""Runs work for an exchange in a thread."""


@dataclass(frozen=True, slots=True)
class PageWork:
    """A page to be made in a thread."""

    make: Callable[[Host, Deadline], WholeAnswer]
    asks: bool = True
    file: Path | None = None

    def run(self, host: Host, deadline: Deadline, _emit: object) -> WholeAnswer:
        """Make the page in this thread, and return it; it is sent whole, so that `_emit` is not used."""
        return self.make(host, deadline)


class Dashboard:
    """Answers the requests for pages of one server."""

    def __init__(self, gate: Gate, in_thread: Threads) -> None:
        self._gate, self._in_thread, self._sessions = gate, in_thread, SignedInSessions()

    async def answer(self, exchange: "Exchange") -> None:
        """Answer a request for a page or a static file; an error is a page, too. `GoneError` if the client is gone."""
        exchange.operation, session = "dashboard", None
        try:
            self._gate.check_origin(exchange.headers)
            session = self._session(exchange.headers)
            await exchange.reply(await self._route(exchange, session))
        except GoneError:
            raise
        except Exception as error:  # noqa: BLE001  # the edge: a person is told on a page, not in JSON
            reported = safe_error(error, exchange.id)
            exchange.code = reported.code
            await exchange.reply(_error_page(exchange, reported, session))

    async def _route(self, exchange: "Exchange", session: SignedInSession | None) -> WholeAnswer:
        """Return the answer to a request: a redirect, a static file, a new link (`POST /ui/link` with a token), the
        entrance (`/ui/enter`) or, in a session, a page or a form's outcome. Without a session, the page that asks for a
        token (401).
        """
        method, path = exchange.scope["method"], _path(exchange)
        if path in _ELSEWHERE:
            return _redirect(_ELSEWHERE[path])
        if path.startswith(f"{ROOT}/static/"):
            return _static(path.removeprefix(f"{ROOT}/static/"))
        query = query_words(exchange.scope["query_string"])
        if path == f"{ROOT}/link" and method == "POST":
            code = self._sessions.link(self._gate.authenticate(exchange.headers))
            return WholeAnswer(200, json.dumps({"path": f"{ROOT}/enter?code={code}"}).encode())
        body = b"".join([each async for each in chunks(exchange.receive, _FORM_BYTES)]) if method == "POST" else b""
        form = query_words(body)
        if path == f"{ROOT}/enter":
            return self._enter(method, query, form)
        if session is None:
            return _html_page("enter.html", {"title": "Who is there?", "problem": None}, status=401)
        exchange.asker = session.caller.name
        return await self._in_session(exchange, session, (method, path, query, form))

    async def _in_session(
        self, exchange: "Exchange", session: SignedInSession, request: tuple[str, str, Any, Any]
    ) -> WholeAnswer:
        """Return a page or a form's outcome, made in a thread; `request` is a tuple of the method, path, query and
        form. The secret `csrf` is taken out of the form; a form sent to `/ui/leave` ends the session. `HttpError` 403
        for a form without this session's secret, 503 if the server is busy; `NotFoundError` if there is no such page.
        """
        method, path, query, form = request
        if method == "POST":
            if not session.owns_form(_first(form.pop("csrf", [""]))):
                raise HttpError(403, "foreign_form", "this form was not made by a page of this session", "open it anew")
            if path == f"{ROOT}/leave":
                self._sessions.end(_cookie(exchange.headers))
                return _redirect(f"{ROOT}/", ("Set-Cookie", f"{COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"))
            work = PageWork(lambda host, until: _run_form(host, session, until, path, form), asks=False)
        else:
            page_found = _find_page(path)
            work = PageWork(lambda host, until: _show_page(host, session, until, page_found, query))
        reply = await self._in_thread(exchange, work, Deadline(_FEW_S))
        assert reply is not None  # pages are whole
        return reply

    def _enter(self, method: str, query: Mapping[str, list[str]], form: Mapping[str, list[str]]) -> WholeAnswer:
        """Return the answer that lets a browser in, by the form's `token` (POST) or by the `code` of a link in the
        query; for an invalid code, the page that asks for a token (401). `HttpError` 401 for an unknown token.
        """
        if method == "POST":
            caller = self._gate.authenticate({"authorization": f"Bearer {_first(form.get('token', ['']))}"})
            return _let_in(self._sessions.begin(caller))
        cookie = self._sessions.enter(_first(query.get("code", [""])))
        if cookie is None:
            problem = "That link was used already, or is older than five minutes: `pellucid dashboard` makes a new one."
            return _html_page("enter.html", {"title": "Who is there?", "problem": problem}, status=401)
        return _let_in(cookie)

    def _session(self, headers: Mapping[str, str]) -> SignedInSession | None:
        """Return the session of a browser, and renew its caller's rights; None without a session. If the caller's token
        was revoked, end the session and return None.
        """
        cookie = _cookie(headers)
        session = self._sessions.find(cookie) if cookie else None
        if session is None:
            return None
        caller = self._gate.refresh(session.caller)
        if caller is None:
            self._sessions.end(cookie)
            return None
        session.caller = caller
        return session


def _find_page(path: str) -> tuple[Page, str, dict[str, str]]:
    """Return the page at a path, its namespace ("" for a page of the home), and what the path has at the places of
    names such as `memory_id`, by name. `NotFoundError` if there is no such page.
    """
    parts = _parts(path)
    for page in PAGES:
        wanted = [each for each in page.path.split("/") if each]
        rest = _join_rest(parts if page.is_of_home else parts[2:], wanted)
        fits = len(rest) == len(wanted) and (page.is_of_home or len(parts) >= 2)
        if fits and all(a.startswith("{") or a == b for a, b in zip(wanted, rest, strict=True)):
            named = {a[1:-1].removesuffix(_WHOLE): b for a, b in zip(wanted, rest, strict=True) if a.startswith("{")}
            return page, "" if page.is_of_home else "/".join(parts[:2]), named
    raise unknown_place()


def _join_rest(parts: list[str], wanted: list[str]) -> list[str]:
    """Return the parts of a path; if the last of `wanted` ends with `:path`, all parts from there on are joined.
    `wanted` are the parts of a page's path.
    """
    last = len(wanted) - 1
    takes_all = wanted and wanted[-1].endswith(f"{_WHOLE}}}") and len(parts) > last
    return [*parts[:last], "/".join(parts[last:])] if takes_all else parts


def _show_page(
    host: Host,
    session: SignedInSession,
    deadline: Deadline,
    page_found: tuple[Page, str, dict[str, str]],
    query: Mapping[str, list[str]],
) -> WholeAnswer:
    """Return a page filled in by its function; `page_found` is what `_find_page` returned. The session's notices are
    shown and taken from it. `NotFoundError` if the caller cannot read the page's namespace.
    """
    page, namespace, named = page_found
    if namespace and not session.caller.may("read", namespace):
        raise unknown_place()
    # the namespace is not part of the pattern: it is a caller's words, which could have braces
    page_path = page.path.replace(_WHOLE, "").format(**named)
    path = (f"{ROOT}/{namespace}/{page_path}" if namespace else f"{ROOT}{page_path}").rstrip("/")
    view = PageView(
        host, session.caller, namespace, named, {name: _first(each) for name, each in query.items()}, deadline, path
    )
    return _html_page(page.template, {**page.build(view), "view": view}, session, namespace, page)


def _run_form(
    host: Host, session: SignedInSession, deadline: Deadline, path: str, form: Mapping[str, list[str]]
) -> WholeAnswer:
    """Run the operation `noun.verb` on a form sent to `/ui/tenant/project/do/noun.verb`, or to `/ui/do/noun.verb` for
    the whole home. Return a redirect, and leave a notice with the outcome in the session unless its text is empty; for
    a preview, return a page that shows it.

    `NotFoundError` for any other path, or if the caller cannot read the namespace; errors as of `act`.
    """
    parts = _parts(path)
    *place, marker, name = parts if 2 <= len(parts) <= 4 else ["", ""]
    if marker != "do" or len(place) not in (0, 2):
        raise unknown_place()
    namespace = "/".join(place)
    if namespace and not session.caller.may("read", namespace):
        raise unknown_place()
    view = PageView(host, session.caller, namespace, {}, {}, deadline, path)
    outcome = act(view, name, form)
    if outcome.again:
        values = {"title": "This is what would happen", "done": outcome, "action": path, "view": view}
        return _html_page("preview.html", values, session, namespace)
    session.said += [Notice(outcome.said, namespace, outcome.undo)] if outcome.said else []
    return _redirect(outcome.after)


def _html_page(
    template: str,
    values: Mapping[str, object],
    session: SignedInSession | None = None,
    namespace: str = "",
    page: Page | None = None,
    status: int = 200,
) -> WholeAnswer:
    """Fill in a template as an HTML answer, with the values that every page shows; one of the same name in `values`
    replaces such a value. The session's notices are shown and taken from it (None: there is no session).

    `namespace` and `page` are those shown (`""` and None: of none), `status` is the answer's HTTP status.
    """
    all_values = {
        "csrf": session.csrf if session else "",
        "caller": session.caller if session else None,
        "said": session.take_notices() if session else [],
        "namespace": namespace,
        "pages": [each for each in PAGES if each.label and not each.is_of_home],
        "page": page,
        "root": ROOT,
        **values,
    }
    return WholeAnswer(status, render(template, all_values), HTML, _HEADERS)


def _error_page(exchange: "Exchange", error: PellucidError, session: SignedInSession | None) -> WholeAnswer:
    """Return an error as a page with the error's HTTP status; the session's notices are shown on it, and taken from the
    session. For an unexpected error it shows the request's id, by which the error is found in the server's log. The
    page leads back to the namespace in the path if the session's caller can read that.
    """
    add_reference(error)
    trace = exchange.id if is_unexpected(error) else ""
    values = {"title": "That did not work", "error": error, "trace": trace}
    parts, is_form = _parts(_path(exchange)), exchange.scope["method"] == "POST"
    is_of_home = len(parts) < (3 if is_form else 2) or parts[0] == "static"
    namespace = "" if is_of_home else "/".join(parts[:2])
    may_look = namespace and session and session.caller.may("read", namespace)
    return _html_page("problem.html", values, session, namespace if may_look else "", status=status_of(error))


def _path(exchange: "Exchange") -> str:
    """Return the request's path with percent escapes decoded."""
    return unquote(exchange.scope["raw_path"].decode("ascii"))


def _parts(path: str) -> list[str]:
    """Return the parts of a path below the dashboard's root, without empty ones."""
    return [each for each in path.removeprefix(ROOT).split("/") if each]


def _redirect(location: str, *headers: tuple[str, str]) -> WholeAnswer:
    """Return a redirect (303) to another page, with further headers."""
    return WholeAnswer(303, b"", HTML, (("Location", location), *_HEADERS, *headers))


def _let_in(cookie: str) -> WholeAnswer:
    """Return a redirect to the home page that sets the session's cookie."""
    return _redirect(f"{ROOT}/", ("Set-Cookie", f"{COOKIE}={cookie}; Path=/; HttpOnly; SameSite=Strict"))


def _cookie(headers: Mapping[str, str]) -> str:
    """Return the session's cookie in the headers; "" if there is none, or it cannot be parsed."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _first(words: Iterable[str]) -> str:
    """Return the first of the values; "" if there are none."""
    return next(iter(words), "")


@cache
def _static(name: str) -> WholeAnswer:
    """Return a static file (style sheet, script, icon) as an answer, by its name below `/ui/static/`; `HttpError` 404
    for other names.
    """
    media = _STATIC.get(name)
    if media is None:
        raise HttpError(404, "not_found", "there is no such file")
    if name == "graph.css":
        body = page_style().encode()
    else:
        body = files("pellucid.surfaces.dashboard").joinpath("static", name).read_bytes()
    return WholeAnswer(
        200, body, media, (("ETag", f'"{sha256(body).hexdigest()[:32]}"'), ("Cache-Control", "no-cache"))
    )


def is_page(path: str) -> bool:
    """Whether the dashboard answers this path: `/`, `/favicon.ico`, or a path at or below `/ui`."""
    return path in (*_ELSEWHERE, ROOT) or path.startswith(f"{ROOT}/")
