"""Tokens over HTTP: who may do everything everywhere makes, turns and ends them; nobody else learns of one."""

import pytest

from kits.serving import Served, served
from pellucid.settings import Settings


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory):
    with served(Settings(home=tmp_path_factory.mktemp("tokens") / "home")) as one:
        yield one


def test_a_token_is_made_turned_and_ended(server: Served) -> None:
    first = server.post("/v1/tokens", {"name": "reader", "grants": ["acme/web:read"]}).json["token"]
    assert server.get("/v1/memories?namespace=acme/web", token=first).status == 200
    assert first not in server.get("/v1/tokens").text
    second = server.post("/v1/tokens/reader/rotate").json["token"]
    assert server.get("/v1/memories?namespace=acme/web", token=first).status == 401
    assert server.get("/v1/memories?namespace=acme/web", token=second).status == 200
    assert server.ask("DELETE", "/v1/tokens/reader").status == 200
    assert server.get("/v1/memories?namespace=acme/web", token=second).status == 401


def test_a_token_is_not_given_twice_whatever_key_its_request_had(server: Served) -> None:
    made = [server.post("/v1/tokens", {"name": "once", "grants": ["acme/web:read"]}, Idempotency_Key="k") for _ in "ab"]
    assert [each.status for each in made] == [200, 409]
    assert "token" not in made[1].json
    server.ask("DELETE", "/v1/tokens/once")


def test_who_is_not_granted_everything_everywhere_makes_and_sees_no_token(server: Served) -> None:
    for grant in ("acme/web:admin", "acme/*:admin", "*:write"):
        token = server.post("/v1/tokens", {"name": "other", "grants": [grant]}).json["token"]
        wish = {"name": "more", "grants": ["*:admin"]}
        refused = (
            server.post("/v1/tokens", wish, token=token),
            server.get("/v1/tokens", token=token),
            server.get("/v1/settings", token=token),
            server.post("/v1/tokens/other/rotate", token=token),
            server.ask("DELETE", "/v1/tokens/other", token=token),
        )
        assert {each.status for each in refused} == {403}
        server.ask("DELETE", "/v1/tokens/other")
    assert "more" not in server.get("/v1/tokens").text
