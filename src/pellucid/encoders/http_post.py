"""An address and a body in, one bounded answer out: a single POST by a deadline, by Python's standard library.

The deadline covers name look-up, connection and every byte. No redirect is followed; no proxy, cookie or password of
the environment is used. Certificates are checked against the system's.
"""

import http.client
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from threading import Thread
from typing import Literal
from urllib.parse import SplitResult, urlsplit

LONGEST_BODY = 4 * 1024 * 1024
"""Bytes of an answer that are read; a longer answer is given up."""
_CHUNK = 64 * 1024
Reason = Literal["late", "long", "broken"]


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A whole answer; header names in lower case."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class NoAnswerError(Exception):
    """Raised if there is no whole answer; the text says why, and contains nothing that was sent.

    `status` is the HTTP status of an answer that was too long, else 0.
    """

    def __init__(self, words: str, reason: Reason = "broken", status: int = 0) -> None:
        super().__init__(words)
        self.reason: Reason = reason
        self.status = status


def post(url: str, headers: Mapping[str, str], body: bytes, deadline_s: float) -> HttpResponse:
    """POST `body` to `url` once, and return the whole answer, whatever its status.

    Raises NoAnswerError if there is no whole answer within `deadline_s` seconds (its `reason` is `late`), if the answer
    is longer than 4 MiB (`long`), if the connection fails, or if `url` is not an address by `parse_address` (`broken`).
    """
    if deadline_s <= 0:
        raise NoAnswerError("no time was left to ask", "late")
    parts = parse_address(url)
    if parts is None:
        raise NoAnswerError("the address is not an http or https one without a user name and a query")
    exchange = _PostThread(parts, headers, body, deadline_s)
    exchange.start()
    exchange.join(deadline_s)
    if exchange.is_alive():
        exchange.abandon()
        raise exchange.too_late
    if exchange.answer is None:
        raise exchange.failure
    return exchange.answer


def json_headers(key: str) -> dict[str, str]:
    """Return the headers of a request that sends and wants JSON, with `key` as its bearer token unless it is empty."""
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "pellucid"}
    return headers | ({"Authorization": f"Bearer {key}"} if key else {})


def can_be_key(key: str) -> bool:
    """Whether an API key is allowed in a header: it is printable ASCII without blanks, or empty."""
    return key.isascii() and key.isprintable() and " " not in key


def parse_address(url: str) -> SplitResult | None:
    """Return the parts of an http or https address; None if the text is not one.

    None, too, if it has a user name, a query, a fragment or port 0, or is not all printable ASCII.
    """
    try:
        parts = urlsplit(url)
        odd = parts.username is not None or parts.query or parts.fragment or parts.port == 0
        if parts.scheme in {"http", "https"} and parts.hostname and not odd and url.isascii() and url.isprintable():
            return parts
    except ValueError:
        pass
    return None


@cache
def _tls_context() -> ssl.SSLContext:
    """Return a TLS context that checks host names and certificates against the system's; cached, as loading them is
    slow.
    """
    return ssl.create_default_context()


class _PostThread(Thread):
    """One POST in a thread of its own, since neither a name look-up nor slow headers can be timed from within."""

    def __init__(self, address: SplitResult, headers: Mapping[str, str], body: bytes, deadline_s: float) -> None:
        super().__init__(daemon=True)
        self.answer: HttpResponse | None = None
        self.too_late = NoAnswerError(f"no whole answer within {deadline_s:g} s", "late")
        self.failure = self.too_late
        self._address = address
        self._headers = headers
        self._body = body
        self._until = time.monotonic() + deadline_s
        self._abandoned = False
        self._socket: socket.socket | None = None

    def run(self) -> None:
        """Send the request, and set `answer`, or `failure` to an error that says why there is none. Raises nothing for
        what the network or the server does.
        """
        try:
            self.answer = self._send_request()
        except NoAnswerError as error:
            self.failure = NoAnswerError(str(error), error.reason, error.status)
        except TimeoutError:
            self.failure = self.too_late
        except ssl.SSLCertVerificationError as error:
            self.failure = NoAnswerError(f"the certificate was not accepted: {error.verify_message}")
        # what these say could repeat a header; their kind is enough
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.failure = NoAnswerError(f"the connection failed or broke off ({type(error).__name__})")

    def abandon(self) -> None:
        """Shut the connection down, so that what the thread waits for there ends now; a thread that has not connected
        yet gives up when it has.
        """
        self._abandoned = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _send_request(self) -> HttpResponse:
        """Connect, send, read and return the whole answer, once; the connection is closed in any case.

        Raises NoAnswerError, and whatever else the network raises.
        """
        connection = self._connection()
        try:
            connection.connect()
            self._socket = connection.sock
            self._check_in_time()
            connection.request("POST", self._address.path or "/", self._body, dict(self._headers))
            with connection.getresponse() as response:
                headers = {name.lower(): value for name, value in response.getheaders()}
                return HttpResponse(response.status, self._read_body(response), headers)
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        """Return a connection to the address, not yet opened; each wait on it times out after the time that is left
        now.
        """
        host, port = self._address.hostname or "", self._address.port
        left = max(0.001, self._until - time.monotonic())
        if self._address.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=left)
        return http.client.HTTPSConnection(host, port, timeout=left, context=_tls_context())

    def _read_body(self, response: http.client.HTTPResponse) -> bytes:
        """Return the whole body of an answer; NoAnswerError if it is too long, cut off, or too late."""
        body = bytearray()
        while chunk := response.read1(_CHUNK):
            self._check_in_time()
            body += chunk
            if len(body) > LONGEST_BODY:
                raise NoAnswerError(f"the answer is longer than {LONGEST_BODY} bytes", "long", response.status)
        declared = response.headers.get("Content-Length", "")
        if declared.isdigit() and int(declared) != len(body):
            raise NoAnswerError("the answer was cut off")
        return bytes(body)

    def _check_in_time(self) -> None:
        """Raise NoAnswerError if the deadline is over, or the thread was abandoned."""
        if self._abandoned or time.monotonic() > self._until:
            raise NoAnswerError(str(self.too_late), "late")
