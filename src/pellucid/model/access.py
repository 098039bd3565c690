"""Who may ask in, what they may do out: principals, their tokens as keyed hashes, and their grants."""

import hashlib
import hmac
import re
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from pellucid.model.wire import Instant, Wire
from pellucid.settings.sections import NAMESPACE_PATTERN

Access = Literal["read", "write", "admin"]
"""What may be granted in a namespace; each holds those before it."""
EVERYWHERE = "*"
_LEVELS: tuple[Access, ...] = ("read", "write", "admin")


def _place(text: str) -> str:
    """A text that is `tenant/project`, `tenant/*` or `*`, as it is; ValueError for any other."""
    tenant, _, project = text.partition("/")
    if text == EVERYWHERE or re.fullmatch(NAMESPACE_PATTERN, f"{tenant}/x" if project == "*" else text):
        return text
    raise ValueError(f"tenant/project, tenant/* or *; got {text!r}")


class Grant(Wire):
    """What may be done in a namespace, in all of a tenant (`tenant/*`), or everywhere (`*`)."""

    namespace: Annotated[str, AfterValidator(_place)]
    access: Access

    def holds(self, namespace: str) -> bool:
        """Whether it speaks of this namespace."""
        if self.namespace.endswith("/*"):
            return namespace.startswith(self.namespace[:-1])
        return self.namespace in (namespace, EVERYWHERE)


def may(grants: Iterable[Grant], access: Access, namespace: str) -> bool:
    """Whether these grants let somebody do that there; what is not granted is denied."""
    return any(each.holds(namespace) and _LEVELS.index(each.access) >= _LEVELS.index(access) for each in grants)


class Principal(Wire):
    """Somebody who asks with a token."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")
    token_id: str
    digest: str
    """Of the token's secret, keyed: the secret itself is kept nowhere."""
    grants: tuple[Grant, ...] = Field(min_length=1)
    created: Instant
    rotated: Instant | None = None
    last_used: Instant | None = None
    """To the minute."""


class AccessList(Wire):
    """Everybody who may ask."""

    principals: tuple[Principal, ...] = ()

    def named(self, name: str) -> Principal | None:
        """The principal of this name."""
        return next((each for each in self.principals if each.name == name), None)

    def with_one(self, principal: Principal) -> "AccessList":
        """The same with this principal in place of another of its name, or behind the others."""
        others = tuple(each for each in self.principals if each.name != principal.name)
        return AccessList(principals=(*others, principal))

    def without(self, name: str) -> "AccessList":
        """The same without the principal of this name."""
        return AccessList(principals=tuple(each for each in self.principals if each.name != name))

    def bearer(self, token: str, key: bytes) -> Principal | None:
        """Whose token this is. It takes the same time whether its first half is known or not."""
        token_id, secret = split(token)
        found = next((each for each in self.principals if each.token_id == token_id), None)
        kept = found.digest if found else "0" * 64
        return found if hmac.compare_digest(kept, digest(secret, key)) else None


def spoken(token_id: str, secret: str) -> str:
    """A token as it is shown, once."""
    return f"pel_{token_id}_{secret}"


def split(token: str) -> tuple[str, str]:
    """A token's id and its secret; empty texts for what is none."""
    found = re.fullmatch(r"pel_([0-9a-f]{12})_([0-9a-f]{64})", token)
    return (found[1], found[2]) if found else ("", "")


def digest(secret: str, key: bytes) -> str:
    """What is kept of a secret."""
    return hmac.new(key, b"pellucid token\0" + secret.encode(), hashlib.sha256).hexdigest()
