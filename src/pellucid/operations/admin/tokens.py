"""A name and grants in, a token out, shown once: who may ask a home that is served, and what."""

import secrets
from typing import Annotated, ClassVar

from pydantic import ValidationError

from pellucid.app import App
from pellucid.errors import ConflictError, InputError, NotFoundError, field_name, step
from pellucid.model.access import AccessList, Grant, Principal, format_token, secret_digest
from pellucid.model.wire import Instant, Wire
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.safe_input import SafeInput

Name = Annotated[str, Argument("The name that the token was made under.")]


class CreateTokenInput(SafeInput):
    """The name of a new token, and the access that it grants."""

    name: Annotated[str, Flag("Who asks with it: a program, a machine, a person.")]
    grants: Annotated[
        tuple[str, ...],
        Flag("NAMESPACE:read, :write or :admin; tenant/* is all of a tenant, * is all."),
    ]


class TokenInput(SafeInput):
    """The name of a token."""

    name: Name


class TokensInput(Wire):
    """No fields: all tokens of the home."""


class TokenView(Wire):
    """A token without its secret."""

    name: str
    grants: tuple[str, ...]
    created: Instant
    rotated: Instant | None = None
    last_used: Instant | None = None
    """The time of its last use, to the minute."""


class NewToken(Wire):
    """A token with its secret, which is shown here and stored nowhere."""

    is_secret: ClassVar[bool] = True
    token: str
    name: str
    grants: tuple[str, ...]


class TokensOutput(Wire):
    """Every token, sorted by name."""

    tokens: tuple[TokenView, ...]


def create_token(app: App, request: CreateTokenInput) -> NewToken:
    """Create a token for a new principal (the holder of the token, by name), and return it with its secret, which is
    stored nowhere.

    Raises:
        InputError: the name or a grant is not valid, or there is no grant.
        ConflictError: there is a token of that name.
    """
    grants = tuple(map(_parse_grant, request.grants))
    token, token_id, digest = _new_token(app)
    try:
        made = Principal(name=request.name, token_id=token_id, digest=digest, grants=grants, created=app.clock.now())
    except ValidationError as error:
        field = "name" if error.errors()[0]["loc"] == ("name",) else "grants"
        expects = "lower-case letters, digits, dot, dash and underscore" if field == "name" else "at least one grant"
        raise InputError(f"{field_name(field)} expects {expects}", code=f"invalid_{field}") from error

    def add(access_list: AccessList) -> AccessList:
        """Return the access list with the new principal; ConflictError if the name is taken."""
        if access_list.find(made.name):
            raise ConflictError(
                f"there is a token named {made.name}", next_step=f"{step('token.rotate')} gives it a new secret"
            )
        return access_list.with_principal(made)

    app.access.change(add)
    return NewToken(token=token, name=made.name, grants=tuple(map(_grant_text, grants)))


def list_tokens(app: App, _request: object = None) -> TokensOutput:
    """List all tokens, sorted by the names of their principals, without their secrets."""
    return TokensOutput(
        tokens=tuple(map(_token_view, sorted(app.access.known().principals, key=lambda each: each.name)))
    )


def rotate_token(app: App, request: TokenInput) -> NewToken:
    """Give the principal of this name a new token with the same grants, and return the token with its secret; the old
    token ends at once. NotFoundError if there is no such principal."""
    token, token_id, digest = _new_token(app)

    def rotate(access_list: AccessList) -> AccessList:
        """Return the access list with the new token for the principal of this name; NotFoundError if there is no such
        principal."""
        changed = {"token_id": token_id, "digest": digest, "rotated": app.clock.now()}
        return access_list.with_principal(_find_principal(access_list, request.name).model_copy(update=changed))

    rotated = _find_principal(app.access.change(rotate), request.name)
    return NewToken(token=token, name=request.name, grants=tuple(map(_grant_text, rotated.grants)))


def revoke_token(app: App, request: TokenInput) -> TokenView:
    """Revoke the token of this name at once, and return its last state; NotFoundError if there is no such token."""
    revoked = list[Principal]()

    def revoke(access_list: AccessList) -> AccessList:
        """Return the access list without the principal of this name, after appending the principal to `revoked`;
        NotFoundError if there is no such principal."""
        revoked.append(_find_principal(access_list, request.name))
        return access_list.without(request.name)

    app.access.change(revoke)
    return _token_view(revoked[0])


def _new_token(app: App) -> tuple[str, str, str]:
    """Generate a token, and return its text for the user, its id, and the keyed digest of its secret."""
    token_id, secret = secrets.token_hex(6), secrets.token_hex(32)
    return format_token(token_id, secret), token_id, secret_digest(secret, app.key)


def _find_principal(access_list: AccessList, name: str) -> Principal:
    """Return the principal of this name; NotFoundError if there is none."""
    found = access_list.find(name)
    if found is None:
        raise NotFoundError(f"no token is named {name}", next_step=f"{step('token.list')} names them")
    return found


def _parse_grant(text: str) -> Grant:
    """Parse a grant written as `NAMESPACE:ACCESS`, such as `acme/*:read`; InputError for any other text."""
    namespace, _, access = text.strip().rpartition(":")
    try:
        return Grant.model_validate({"namespace": namespace, "access": access})
    except ValidationError as error:
        raise InputError(
            f"{field_name('grants')} expects NAMESPACE:read, :write or :admin; got {text[:80]!r}",
            code="invalid_grant",
            next_step="for example local/default:write, acme/*:read, or *:admin",
        ) from error


def _grant_text(grant: Grant) -> str:
    """Render a grant as `NAMESPACE:ACCESS`, such as `acme/*:read`."""
    return f"{grant.namespace}:{grant.access}"


def _token_view(principal: Principal) -> TokenView:
    """Convert a principal into its output form, without the token's id and digest."""
    return TokenView(
        name=principal.name,
        grants=tuple(map(_grant_text, principal.grants)),
        created=principal.created,
        rotated=principal.rotated,
        last_used=principal.last_used,
    )


CREATE_TOKEN = Operation(
    "token.create",
    "Make a token for a program that asks over HTTP or MCP.\n\n"
    "It is shown once, and only a keyed hash of it is kept.\n",
    CreateTokenInput,
    NewToken,
    in_home(create_token),
    "change",
    Surfaces("token create", http=("POST /v1/tokens",)),
    text=Text("everyday.new_token_text"),
    as_it_stands=True,
    needs="admin",
)
LIST_TOKENS = Operation(
    "token.list",
    "List tokens: whose, for what, and when last used.",
    TokensInput,
    TokensOutput,
    in_home(list_tokens),
    "read",
    Surfaces("token list", http=("GET /v1/tokens",)),
    text=Text("everyday.tokens_text"),
    as_it_stands=True,
    needs="admin",
)
ROTATE_TOKEN = Operation(
    "token.rotate",
    "Give a token a new secret; the old one ends at once.",
    TokenInput,
    NewToken,
    in_home(rotate_token),
    "change",
    Surfaces("token rotate", http=("POST /v1/tokens/{name}/rotate",)),
    text=Text("everyday.new_token_text"),
    as_it_stands=True,
    needs="admin",
)
REVOKE_TOKEN = Operation(
    "token.revoke",
    "End a token at once.",
    TokenInput,
    TokenView,
    in_home(revoke_token),
    "change",
    Surfaces("token revoke", http=("DELETE /v1/tokens/{name}",)),
    text=Text("everyday.ended_token_text"),
    as_it_stands=True,
    needs="admin",
)
