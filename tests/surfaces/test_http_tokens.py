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


@pytest.mark.parametrize("name", ["owner", "loopback"])
def test_a_token_named_as_the_owner_is_no_owner(server: Served, name: str) -> None:
    token = server.post("/v1/tokens", {"name": name, "grants": ["acme/web:write"]}).json["token"]
    wish = {"content": "The archive moves to Basel.", "category": "fact"}
    key = {"Idempotency_Key": f"move-{name}"}
    first = server.post("/v1/memories?namespace=acme/other", wish, **key)
    second = server.post("/v1/memories?namespace=acme/web", wish, token=token, **key)
    assert (first.status, second.status) == (200, 200), "the owner's requests and the token's have keys of their own"
    used = {each["name"]: each.get("lastUsed") for each in server.get("/v1/tokens").json["tokens"]}
    assert used[name]
    server.ask("DELETE", f"/v1/tokens/{name}")
    assert server.get("/v1/memories?namespace=acme/web", token=token).status == 401


def test_an_empty_text_is_wrong_and_not_forbidden_where_a_field_reaches_beyond_the_namespace(server: Served) -> None:
    token = server.post("/v1/tokens", {"name": "beyond", "grants": ["acme/web:read"]}).json["token"]
    wishes = ({"query": "basel", "settings": ""}, {"query": "basel", "settings": {"top_k_facts": 3}})
    answers = [server.post("/v1/recall?namespace=acme/web", wish, token=token) for wish in wishes]
    server.ask("DELETE", "/v1/tokens/beyond")
    assert [each.status for each in answers] == [400, 403]
