"""The names in a transcript in, names that are safe to store out: of sessions, speakers, tools and agents."""

from collections import Counter
from collections.abc import Mapping

from pellucid.capture.report import CaptureReport
from pellucid.capture.secrets.redact import redact, redact_after

REMEMBERED = 4096


def clean_pairs(pairs: Mapping[str, str]) -> tuple[dict[str, str], Counter[str]]:
    """Redact names and their values; return them, and the number of removed secrets of each type.

    A value is redacted as what follows its name, for only the name shows that a value such as `hunter2x` is a password.
    If several names are the same once redacted, the last one's value is kept.
    """
    counts = Counter[str]()
    cleaned: dict[str, str] = {}
    for raw_name, value in pairs.items():
        name = redact(raw_name)
        redacted = redact_after(f"{name.text}: ", value) or redact(value)
        counts += Counter(name.counts) + Counter(redacted.counts)
        cleaned[name.text] = redacted.text
    return cleaned, counts


class NameRedactor:
    """Redacts the names in the turns of one capture; names repeat, so that results are cached."""

    def __init__(self, report: CaptureReport) -> None:
        self._report = report
        self._redacted: dict[str, str] = {}
        self._session_names: dict[str, str] = {}
        self._alike = Counter[str]()  # how many sessions share a name once it is redacted

    def clean(self, name: str) -> str:
        """Return the name without secrets. They are counted in the report's `redactions`, for a repeated name once, as
        results are cached (up to 4,096 names; then the cache is emptied).
        """
        cleaned = self._redacted.get(name)
        if cleaned is None:
            redacted = redact(name)
            self._report.redactions.update(redacted.counts)
            if len(self._redacted) >= REMEMBERED:
                self._redacted.clear()
            cleaned = self._redacted[name] = redacted.text
        return cleaned

    def clean_session(self, session_id: str) -> str:
        """Return the session id without secrets, for the same id always the same; of several ids that become alike by
        this, the second gets the ending `-2`, the third `-3`, and so on. An id without secrets stays as it is.
        """
        cleaned = self.clean(session_id)
        if cleaned == session_id:
            return session_id
        if session_id not in self._session_names:
            self._alike[cleaned] += 1
            number = self._alike[cleaned]
            self._session_names[session_id] = cleaned if number == 1 else f"{cleaned}-{number}"
        return self._session_names[session_id]
