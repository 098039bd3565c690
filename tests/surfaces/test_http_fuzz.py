"""Requests made from the OpenAPI document, well formed and not: every one is answered, none with a fault of ours."""

import json
import random
import string
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error

from kits.serving import Served, served
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.settings import Settings
from pellucid.surfaces.http.routes import Route, routes_of
from pellucid.table import OPERATIONS

ROUTES = list(routes_of(OPERATIONS))
MALFORMED = 10_000
_PIECES = (
    "",
    "0",
    "-1",
    "1e999",
    "NaN",
    "null",
    "true",
    "\x00",
    "\ud800",
    "..",
    "../../etc/passwd",
    "%00",
    "%ff",
    "'",
    '"',
    "<script>",
    "\u202e",
    "a" * 5000,
    "mem_" + "0" * 32,
    "rec_" + "f" * 32,
    "last",
    "last~9999",
    "2026-13-40",
    "9999-12-31",
    "0001-01-01",
    "7d",
    "999999999w",
    "tenant/project",
    "*",
    "acme/*",
    "日本",
    "🚢",
    "[[]]",
    "{}",
    "a=b",
    "=",
    "a.b=1",
)  # a little of everything that has ever broken a parser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
        with served(Settings(home=tmp_path_factory.mktemp("fuzzed") / "home")) as one:
            one.post("/v1/memories", {"content": "The cache TTL is 300 seconds"})
            yield one


def test_every_route_answers_what_schemathesis_makes_of_its_schema(server: Served) -> None:
    statuses = _schemathesis(server, 4)
    assert statuses
    assert not [status for status in statuses if status >= 500]


@pytest.mark.slow
def test_ten_thousand_malformed_requests_are_each_answered(server: Served, capfd: pytest.CaptureFixture[str]) -> None:
    statuses = _schemathesis(server, 60) + _malformed(server, MALFORMED)
    assert statuses.total() >= MALFORMED
    assert not [status for status in statuses if status >= 500]
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.requirement("HTTP-4")
def test_malformed_requests_are_each_answered(server: Served) -> None:
    statuses = _malformed(server, 600)
    assert not [status for status in statuses if status >= 500]


def _schemathesis(server: Served, examples: int) -> Counter[int]:
    """So many requests of each route."""
    told = server.get("/openapi.json").json
    schema = schemathesis.openapi.from_dict(told)
    found = Counter[int]()
    results: list[Any] = list(schema.get_all_operations())
    for result in results:
        operation = result.ok()
        modes = [GenerationMode.POSITIVE, GenerationMode.NEGATIVE]

        @seed(7)
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        @given(case=operation.as_strategy(generation_mode=modes[0]) | operation.as_strategy(generation_mode=modes[1]))
        def ask(case: schemathesis.Case) -> None:
            response = case.call(
                base_url=f"http://{server.host}:{server.port}",
                headers={"Authorization": f"Bearer {server.token}"},
                timeout=60,
            )
            case.validate_response(response, checks=[not_a_server_error])
            found[response.status_code] += 1

        ask()
    return found


def _malformed(server: Served, count: int) -> Counter[int]:
    """So many requests with nonsense where something is expected, the same ones at each run."""
    rng, found = random.Random(11), Counter[int]()
    for _ in range(count):
        route = rng.choice(ROUTES)
        method, path, body, headers = _nonsense(rng, route)
        answer = server.ask(method, path, body, **headers)
        assert answer.status < 500, (method, path[:300], str(body)[:300], answer.text[:600])
        is_absent = answer.status == 404 and route.row.gives_xray
        if answer.status >= 400 and method != "HEAD" and not is_absent:
            assert {"error", "code", "message", "nextStep"} <= set(answer.json)
        found[answer.status] += 1
    return found


def _nonsense(rng: random.Random, route: Route) -> tuple[str, str, object, dict[str, str]]:
    path = route.path
    for name in route.in_path:
        path = path.replace(f"{{{name}}}", quote(_word(rng).encode("utf-8", "surrogatepass") or b"x", safe=""))
    names = [*route.fields, "namespace", "format", "verbose", _word(rng)[:20]]
    fields = {rng.choice(names): _thing(rng) for _ in range(rng.randint(0, 4))}
    method = route.method if rng.random() < 0.95 else rng.choice(("GET", "POST", "PUT", "HEAD", "PATCH"))
    headers = {} if rng.random() < 0.8 else {"Accept": rng.choice(("*/*", "text/*", "x", "text/html;q=a", ",,"))}
    if route.has_body and rng.random() < 0.8:
        raw = json.dumps(fields) if rng.random() < 0.8 else _word(rng)
        return method, path, raw.encode("utf-8", "surrogatepass"), {"Content-Type": "application/json", **headers}
    query = "&".join(f"{_quoted(name)}={_quoted(str(value))}" for name, value in fields.items())
    return method, f"{path}?{query}", b"" if method in ("POST", "PATCH", "PUT") else None, headers


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def _word(rng: random.Random) -> str:
    if rng.random() < 0.7:
        return rng.choice(_PIECES)
    return "".join(rng.choices(string.printable, k=rng.randint(1, 30)))


def _thing(rng: random.Random, deep: int = 0) -> object:
    kind = rng.randrange(8 if deep < 3 else 5)
    if kind < 3:
        return _word(rng)
    if kind < 5:
        return rng.choice((0, -1, 1, 2**63, 2**64, 1e308, 0.5, True, False, None))
    if kind < 7:
        return [_thing(rng, deep + 1) for _ in range(rng.randint(0, 3))]
    return {_word(rng)[:30]: _thing(rng, deep + 1) for _ in range(rng.randint(0, 3))}
