"""Tokens: shown once, kept as keyed hashes, ended at once; what is not granted is denied."""

import os
import stat
from pathlib import Path

import pytest

from kits.vault import Opener
from pellucid.app import App
from pellucid.capture.secrets.redact import redact
from pellucid.errors import ConflictError, InputError, NotFoundError, StoreError
from pellucid.model.access import Grant, is_allowed
from pellucid.operations.admin.tokens import (
    CreateTokenInput,
    TokenInput,
    create_token,
    list_tokens,
    revoke_token,
    rotate_token,
)


def made(app: App, name: str = "laptop", *grants: str) -> str:
    return create_token(app, CreateTokenInput(name=name, grants=grants or ("local/default:write",))).token


def test_a_token_names_its_principal_and_no_other_does(house: Opener) -> None:
    app = house()
    token = made(app)
    found = app.access.known().principal_of_token(token, app.key)
    assert found
    assert found.name == "laptop"
    for wrong in ("", "pel_", token[:-1] + ("0" if token[-1] != "0" else "1"), token.upper(), token + "0"):
        assert app.access.known().principal_of_token(wrong, app.key) is None
    assert app.access.known().principal_of_token(token, b"another key") is None


def test_the_secret_is_kept_nowhere_and_the_file_is_its_owners_alone(house: Opener) -> None:
    app = house()
    before = os.umask(0)
    try:
        token = made(app)
    finally:
        os.umask(before)
    home: Path = app.settings.home
    secret = token.rpartition("_")[2].encode()
    assert not [path for path in home.rglob("*") if path.is_file() and secret in path.read_bytes()]
    assert stat.S_IMODE((home / "access.json").stat().st_mode) == 0o600


def test_a_damaged_list_is_no_empty_one_and_a_link_is_not_followed(house: Opener) -> None:
    app = house()
    made(app)
    file = app.settings.home / "access.json"
    sound = file.read_text()
    file.write_text("{")
    with pytest.raises(StoreError, match=r"access.json is damaged: .*, so it is not known who may ask"):
        app.access.known()
    with pytest.raises(StoreError, match="is damaged"):
        made(app, "phone")
    assert file.read_text() == "{"
    file.unlink()
    (app.settings.home / "elsewhere.json").write_text(sound)
    file.symlink_to("elsewhere.json")
    with pytest.raises(StoreError, match="is no plain file"):
        app.access.known()


@pytest.mark.requirement("HTTP-7")
def test_a_rotated_or_revoked_token_ends_at_once(house: Opener) -> None:
    app = house()
    first = made(app)
    second = rotate_token(app, TokenInput(name="laptop")).token
    assert app.access.known().principal_of_token(first, app.key) is None
    assert app.access.known().principal_of_token(second, app.key)
    revoke_token(app, TokenInput(name="laptop"))
    assert app.access.known().principal_of_token(second, app.key) is None
    assert not list_tokens(app).tokens
    with pytest.raises(NotFoundError):
        revoke_token(app, TokenInput(name="laptop"))


def test_a_name_is_taken_once(house: Opener) -> None:
    app = house()
    made(app)
    with pytest.raises(ConflictError):
        made(app)


@pytest.mark.parametrize("grant", ["local/default", "local:read", "*/x:read", "../x:read", "a/b:own", "a/b/c:read", ""])
def test_a_grant_that_means_nothing_is_refused(house: Opener, grant: str) -> None:
    app = house()
    with pytest.raises(InputError):
        create_token(app, CreateTokenInput(name="x", grants=(grant,)))


def test_what_is_not_granted_is_denied() -> None:
    grants = (Grant(namespace="acme/*", access="read"), Grant(namespace="acme/web", access="write"))
    assert is_allowed(grants, "read", "acme/api")
    assert is_allowed(grants, "write", "acme/web")
    assert not is_allowed(grants, "write", "acme/api")
    assert not is_allowed(grants, "admin", "acme/web")
    assert not is_allowed(grants, "read", "acme2/api")
    assert not is_allowed(grants, "read", "*")
    assert is_allowed((Grant(namespace="*", access="admin"),), "write", "acme/api")


def test_a_token_in_a_transcript_is_taken_for_a_secret(house: Opener) -> None:
    app = house()
    token = made(app)
    assert token not in redact(f"I called it with {token} and it worked").text
