"""The names in a transcript in, names that may be stored out: of sessions, speakers, tools and agents."""

from collections import Counter
from collections.abc import Mapping

from pellucid.capture.report import CaptureReport
from pellucid.capture.secrets.redact import redact

REMEMBERED = 4096


def clean_pairs(pairs: Mapping[str, str]) -> tuple[dict[str, str], Counter[str]]:
    """These names and values without secrets, and how many of each type were taken out.

    A name tells a secret from a word, so the two are looked at together: `password` and `hunter2x` hold none apart.
    """
    counts = Counter[str]()
    cleaned: dict[str, str] = {}
    for given, value in pairs.items():
        name = redact(given)
        lead = f"{name.text}: "
        both = redact(lead + value)
        alone = both if both.text.startswith(lead) else redact(value)
        counts.update(name.counts)
        counts.update(alone.counts)
        cleaned[name.text] = alone.text.removeprefix(lead) if alone is both else alone.text
    return cleaned, counts


class Names:
    """Takes the secrets out of names. One capture repeats few names many times, so each is looked at once."""

    def __init__(self, report: CaptureReport) -> None:
        self._report = report
        self._known: dict[str, str] = {}
        self._sessions: dict[str, str] = {}
        self._alike = Counter[str]()

    def clean(self, name: str) -> str:
        """The name without its secrets; those of a name met for the first time are counted."""
        known = self._known.get(name)
        if known is None:
            redacted = redact(name)
            self._report.redactions.update(redacted.counts)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            known = self._known[name] = redacted.text
        return known

    def session(self, session_id: str) -> str:
        """A session id without secrets; one that only differed in them from another gets a number, to stay apart."""
        cleaned = self.clean(session_id)
        if cleaned == session_id:
            return session_id
        if session_id not in self._sessions:
            self._alike[cleaned] += 1
            number = self._alike[cleaned]
            self._sessions[session_id] = cleaned if number == 1 else f"{cleaned}-{number}"
        return self._sessions[session_id]
