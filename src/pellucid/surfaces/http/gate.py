"""The headers of a request in, who asks out: from this machine or a name that was allowed, and with a token."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from hmac import compare_digest
from urllib.parse import urlsplit

from pellucid.app import App
from pellucid.errors import InputError, PellucidError
from pellucid.model.access import EVERYWHERE, Access, AccessList, Grant, may, spoken
from pellucid.model.memory import SourceClass
from pellucid.surfaces.http.refusals import HttpError, unknown_place

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_USED_EVERY = timedelta(minutes=1)
_ALL = (Grant(namespace=EVERYWHERE, access="admin"),)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what that may."""

    name: str
    grants: tuple[Grant, ...]
    usual: str | None = None
    """The namespace that is meant where a request names none."""

    def may(self, access: Access, namespace: str) -> bool:
        """Whether that was granted there; `*` asks for everywhere."""
        return may(self.grants, access, namespace)

    def speaks_as(self, namespace: str) -> SourceClass:
        """Whose words it brings there: the user's with every right, else those of a program."""
        return "manual" if self.may("admin", namespace) else "assistant_output"

    @property
    def only_namespace(self) -> str | None:
        """The namespace that is meant where none is named: the only one granted."""
        if self.usual:
            return self.usual
        named = {each.namespace for each in self.grants}
        only = named.pop() if len(named) == 1 else "*"
        return None if only.endswith("*") else only


def allowed(asker: Caller, access: Access, namespace: str | None) -> str:
    """The namespace that is asked, if that may be; nothing of a store is looked at for that.

    Raises:
        NotFoundError: nothing was granted there, the same whether it exists or not.
        InputError: none was named, and there is more than one it could be.
        HttpError: less was granted there.
    """
    place = namespace or asker.only_namespace
    if place is None:
        raise InputError(
            "this token may ask several namespaces, and none was named",
            code="missing_namespace",
            next_step='name one: "?namespace=tenant/project"',
        )
    if not asker.may(access, place):
        raise _denied(asker, access, place)
    return place


def _denied(asker: Caller, access: Access, place: str) -> PellucidError:
    """The error for a caller whose grants do not allow this access here."""
    if place != EVERYWHERE and not asker.may("read", place):
        return unknown_place()
    where = "everywhere" if place == EVERYWHERE else f"in {place}"
    return HttpError(
        403,
        "not_granted",
        f"this takes {access} {where}, which the token does not grant",
        "ask whoever runs the server",
    )


class Gate:
    """Lets a request in, or says why not."""

    def __init__(self, app: App, names: frozenset[str], *, needs_token: bool = True) -> None:
        """Guard a home.

        Args:
            app: the home.
            names: the host names under which it may be asked.
            needs_token: whether a request without a token is nobody's; without that it is the owner's.
        """
        self._app, self._names, self._needs_token = app, names, needs_token
        self._usual = app.settings.namespace
        self.run_token = spoken(secrets.token_hex(6), secrets.token_hex(32))
        """A token of the owner's own programs, which ends with this process."""

    def check_place(self, headers: Mapping[str, str]) -> None:
        """See that a request was meant for this server, and comes from no other site's page.

        Raises:
            HttpError: it was not (421), or does (403).
        """
        host = headers.get("host", "")
        if _name(host) not in self._names:
            raise HttpError(421, "wrong_host", "this server does not go by that name", "`--allow-host` adds one")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        is_own = origin is None or urlsplit(origin).netloc.lower() == host.lower()
        if not is_own or site not in ("none", "same-origin"):
            raise HttpError(403, "foreign_origin", "pages of other sites may not ask", "call it from a program")

    def asker(self, headers: Mapping[str, str]) -> Caller:
        """Who asks.

        Raises:
            HttpError: nobody who is known (401).
            StoreError: it cannot be read who is known.
        """
        scheme, _, token = headers.get("authorization", "").partition(" ")
        token = token.strip() if scheme.lower() == "bearer" else ""
        if compare_digest(token.encode(), self.run_token.encode()):
            return Caller("owner", _ALL, self._usual)
        if not (token or scheme or self._needs_token):
            return Caller("loopback", _ALL, self._usual)
        found = self._app.access.known().bearer(token, self._app.key)
        if found is None:
            raise HttpError(
                401,
                "no_token",
                "a token is needed, and there was none that is known",
                "send `Authorization: Bearer …`; `pellucid token create` makes one",
                WWW_Authenticate='Bearer realm="pellucid"',
            )
        return Caller(found.name, found.grants)

    def still(self, asker: Caller) -> Caller | None:
        """The same caller with what it may now; None where its token was revoked since.

        Raises:
            StoreError: it cannot be read who is known.
        """
        if asker.name in ("owner", "loopback"):
            return asker
        found = self._app.access.known().named(asker.name)
        return Caller(found.name, found.grants) if found else None

    def note_use(self, asker: Caller) -> None:
        """Keep when a token was used, to the minute."""
        now, known = self._app.clock.now(), self._app.access.known()
        found = known.named(asker.name)
        if found is None or (found.last_used and now - found.last_used < _USED_EVERY):
            return

        def used(known: AccessList) -> AccessList:
            one = known.named(asker.name)
            return known.with_one(one.model_copy(update={"last_used": now})) if one else known

        self._app.access.change(used)


def _name(host: str) -> str:
    """The name in a Host header, without its port and brackets; empty where it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
