"""The headers of a request in, its caller out, if it uses an allowed host name and a token."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from hmac import compare_digest
from urllib.parse import urlsplit

from pellucid.app import App
from pellucid.errors import InputError
from pellucid.model.access import EVERYWHERE, Access, AccessList, Grant, format_token, is_allowed
from pellucid.model.memory import SourceClass
from pellucid.surfaces.http.refusals import HttpError, unknown_place

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_USED_EVERY = timedelta(minutes=1)
_OWNERS = ("(owner)", "(loopback)")
"""What an owner is called who sent the server's own token, and one who needed none: no token can have such a name."""
_ALL = (Grant(namespace=EVERYWHERE, access="admin"),)


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request: a token's name and its rights, or the owner of the home."""

    name: str
    grants: tuple[Grant, ...]
    usual: str | None = None
    """The namespace of requests that do not name one."""

    @property
    def is_owner(self) -> bool:
        """Whether it is the owner of the home, who has every right for good, and no token on record."""
        return self.name in _OWNERS

    def may(self, access: Access, namespace: str) -> bool:
        """Whether the caller has the right `access` (`read` < `write` < `admin`) or a higher one in the namespace; the
        namespace `*` means in every namespace.
        """
        return is_allowed(self.grants, access, namespace)

    def speaks_as(self, namespace: str) -> SourceClass:
        """Return the kind of source that a memory gets which the caller writes in the namespace: `manual` (the user) if
        the caller has the right `admin` there, else `assistant_output` (a program).
        """
        return "manual" if self.may("admin", namespace) else "assistant_output"

    @property
    def only_namespace(self) -> str | None:
        """The namespace of a request that does not name one: `usual`, else the only one granted. None if several are
        granted, or a pattern such as `*` or `tenant/*`.
        """
        if self.usual:
            return self.usual
        named = {each.namespace for each in self.grants}
        namespace = named.pop() if len(named) == 1 else "*"
        return None if namespace.endswith("*") else namespace


def allowed_namespace(caller: Caller, access: Access, namespace: str | None) -> str:
    """Check that the caller has the right `access` and return the namespace that a request is for; no store is read for
    that.

    `namespace` is the one that the request names: None or "" means the caller's `only_namespace`, `*` the whole home.

    Raises:
        NotFoundError: the caller may not even read the namespace, whether it exists or not.
        InputError: no namespace was named, and the caller has no `only_namespace`.
        HttpError: 403: the caller may read the namespace, but lacks this right; or `*` was named, and the right is not
            granted in every namespace.
    """
    namespace = namespace or caller.only_namespace
    if namespace is None:
        raise InputError(
            "this token may ask several namespaces, and none was named",
            code="missing_namespace",
            next_step='name one: "?namespace=tenant/project"',
        )
    if caller.may(access, namespace):
        return namespace
    if namespace != EVERYWHERE and not caller.may("read", namespace):
        raise unknown_place()
    where = "everywhere" if namespace == EVERYWHERE else f"in {namespace}"
    message = f"this takes {access} {where}, which the token does not grant"
    raise HttpError(403, "not_granted", message, "ask whoever runs the server")


class Gate:
    """Finds the caller of each request, or refuses the request."""

    def __init__(self, app: App, names: frozenset[str], *, needs_token: bool = True) -> None:
        """Guard the home of `app`, which answers under these host names (in any case, without port). Unless
        `needs_token`, a request without a token is the owner's.
        """
        self._app, self._names, self._needs_token = app, frozenset(map(str.lower, names)), needs_token
        self._usual = app.settings.namespace
        self.run_token = format_token(secrets.token_hex(6), secrets.token_hex(32))
        """The token of the owner's own programs, valid for the life of this process."""

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Raise `HttpError` 421 for a request whose Host header is missing or none of the server's host names, and 403
        for one from a page of another site: it has an Origin that is not that host, or a Sec-Fetch-Site that is neither
        `none` nor `same-origin`. The names of `headers` are in lower case.
        """
        host = headers.get("host", "")
        if _host_name(host) not in self._names:
            raise HttpError(421, "wrong_host", "this server does not go by that name", "`--allow-host` adds one")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        is_own = origin is None or _place(origin) == host.lower()
        if not is_own or site not in ("none", "same-origin"):
            raise HttpError(403, "foreign_origin", "pages of other sites may not ask", "call it from a program")

    def authenticate(self, headers: Mapping[str, str]) -> Caller:
        """Return the caller of a request by its bearer token: for `run_token` the owner of the home, who has every
        right, else the token's holder in the access list. Without an Authorization header it is the owner, too (named
        `(loopback)`, not `(owner)`), unless the gate was made with `needs_token`. `HttpError` 401 if the token is
        missing or unknown. The names of `headers` are in lower case."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        token = token.strip() if scheme.lower() == "bearer" else ""
        if compare_digest(token.encode(), self.run_token.encode()):
            return Caller(_OWNERS[0], _ALL, self._usual)
        if not (token or scheme or self._needs_token):
            return Caller(_OWNERS[1], _ALL, self._usual)
        principal = self._app.access.known().principal_of_token(token, self._app.key)
        if principal is None:
            raise HttpError(
                401,
                "no_token",
                "a token is needed, and there was none that is known",
                "send `Authorization: Bearer …`; `pellucid token create` makes one",
                WWW_Authenticate='Bearer realm="pellucid"',
            )
        return Caller(principal.name, principal.grants)

    def refresh(self, caller: Caller) -> Caller | None:
        """Return the same caller with the rights that the access list grants now; None if the caller's token was
        revoked. The owner's rights never change.
        """
        if caller.is_owner:
            return caller
        principal = self._app.access.known().find(caller.name)
        return Caller(principal.name, principal.grants) if principal else None

    def note_use(self, caller: Caller) -> None:
        """Write into the access list that the caller's token is used now, at most once a minute for each token; do
        nothing for a caller without a token, or with one that was revoked."""
        now, tokens = self._app.clock.now(), self._app.access.known()
        principal = tokens.find(caller.name)
        if principal is None or (principal.last_used and now - principal.last_used < _USED_EVERY):
            return

        def with_use(tokens: AccessList) -> AccessList:
            """Return the list of tokens with the new time of use; unchanged if the caller's token was revoked."""
            token = tokens.find(caller.name)
            return tokens.with_principal(token.model_copy(update={"last_used": now})) if token else tokens

        self._app.access.change(with_use)


def _place(origin: str) -> str:
    """Return the host and port of an Origin header, in lower case; "" if the header is malformed."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _host_name(host: str) -> str:
    """Return the name in a Host header, in lower case, without port and brackets; "" if the header is malformed."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
