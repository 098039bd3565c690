"""Text in, the passwords of its command lines out: found by a program's short flag, where no name reveals them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pellucid.capture.secrets.assignments import SecretSpan
from pellucid.capture.secrets.values import is_typed_password


class _Program(NamedTuple):
    """A program by a word of its name, and the pattern of its arguments with the password in the group `secret`."""

    mark: str
    shape: re.Pattern[str]


_LONGEST = 400  # characters of a command
_QUOTE = r"(?P<quote>\\{0,7}[\"'])?"
_TYPED = r"(?P<secret>(?(quote)[^\r\n\"'\\]|[^\s\"'\\`]){3,200})"
_USER = r"(?:-[a-zA-Z]{0,8}[uU]|--(?:proxy-)?user)"
_PROGRAMS = (
    _Program("curl", re.compile(rf"\s{_USER}[ =]?{_QUOTE}[\w.@+%-]{{1,100}}:{_TYPED}")),
    _Program("sshpass", re.compile(rf"\s-p\s{{0,4}}{_QUOTE}{_TYPED}")),
    _Program("mysql", re.compile(rf"\s-p{_QUOTE}{_TYPED}")),
    _Program("mariadb", re.compile(rf"\s-p{_QUOTE}{_TYPED}")),
    _Program("redis-cli", re.compile(rf"\s-a\s{{1,4}}{_QUOTE}{_TYPED}")),
    _Program(" login", re.compile(rf"\s-p(?:\s{{1,4}}|=)?{_QUOTE}{_TYPED}")),
)
_END = re.compile(r"(?<!\\)[\r\n]|(?:[;|]|&&)(?=\s)")
_CRYPTED = re.compile(r":(?P<secret>\$(?:\d[a-z]?|y|gy|sha1|apr1|argon2\w{1,2})\$[\w./$=,+-]{13,300})(?=[:\s]|\Z)")
"""The password of `/etc/shadow` and of `htpasswd`; see crypt(5)."""


def command_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield the spans of passwords that known programs (`_PROGRAMS`) take by a flag: `curl -u user:…`, `sshpass -p …`,
    `mysql -p…`.

    Of each mention of a program, the first such argument within its command, and within 400 characters, is taken,
    unless it is a placeholder or a variable (`is_typed_password`).
    """
    for program in _PROGRAMS:
        at = text.find(program.mark)
        while at >= 0:
            after = at + len(program.mark)
            ends = _END.search(text, after, after + _LONGEST)
            found = program.shape.search(text, after, ends.start() if ends else after + _LONGEST)
            if found and is_typed_password(found["secret"]):
                yield SecretSpan(*found.span("secret"), "command-line-password")
            at = text.find(program.mark, found.end() if found else after)


def crypted_passwords(text: str) -> Iterator[SecretSpan]:
    """Yield the spans of password hashes after a colon (`:$6$…`), as in lines of `/etc/shadow` or `htpasswd`."""
    return (SecretSpan(*found.span("secret"), "password-hash") for found in _CRYPTED.finditer(text))
