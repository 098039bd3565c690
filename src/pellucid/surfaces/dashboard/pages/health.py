"""A home in, its health out: problems and what to do, how much is stored, who has access, and its settings.

Each part is shown to callers who are allowed to ask for it; the others are told that there is more.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from pellucid.operations.admin.configuration import SETTINGS
from pellucid.operations.admin.health import DOCTOR, REBUILD, DoctorOutput
from pellucid.operations.admin.tokens import CREATE_TOKEN, LIST_TOKENS
from pellucid.operations.session.closing import CHECKPOINT
from pellucid.surfaces.dashboard.charts.calendar import meter
from pellucid.surfaces.dashboard.view import Page, PageView
from pellucid.xray.words.numbers import counted

_PLACES = {
    "vault": "the vault: your memories as Markdown files",
    "journal.db": "what was written, until it is filed",
    "index.db": "the index, made of the vault",
    "history.db": "what was recalled, and why",
    "spool.db": "turns that wait to become memories",
    "models": "the models that run here",
}
"""The use of each store, in words."""
_KEPT = {
    "trace": "Turns behind memories",
    "receipts": "Explanations of recalls",
    "queryText": "Words of questions",
    "memories": "Memories",
    "ledger": "What was done to memories",
}
"""The words for data that is deleted after some time."""


@dataclass(frozen=True, slots=True)
class Store:
    """A part of the home and the disk space it takes."""

    name: str
    text: str
    size: str
    chart: Markup


def _health(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of the home's health: `title`, the doctor's `report`, `stores` with their
    sizes, `caps` (what is limited, and how full it is), `kept` (words for data that is deleted after some time), `free`
    space, `settings`, `tokens`, and what the caller may do (`may_rebuild`, `may_make_tokens`, `may_flush`).

    Without the right to ask the doctor there are only `title`, and None as `report`; without that to list tokens, no
    tokens.
    """
    if not view.may(DOCTOR):
        return {"title": "Health", "report": None}
    report = view.ask(DOCTOR)
    settings = {each.name: each for each in view.ask(SETTINGS).settings}
    max_receipts = int(settings["history.receipts"].value)
    usage = f"{report.receipts:,} of {max_receipts:,}"
    receipts = {"name": "Recalls that can be explained", "words": usage, "setting": "history.receipts"}
    return {
        "title": "Everything is in order" if report.healthy else counted(len(report.findings), "problem", "problems"),
        "report": report,
        "stores": list(_stores(report)),
        "caps": [{**receipts, "chart": meter(report.receipts, max_receipts, usage)}],
        "kept": _KEPT,
        "free": _size(report.pulse.disk["free"]) if report.pulse else "",
        "settings": settings.values(),
        "tokens": view.ask(LIST_TOKENS).tokens if view.may(LIST_TOKENS) else (),
        "may_rebuild": view.may(REBUILD),
        "may_make_tokens": view.may(CREATE_TOKEN),
        "may_flush": view.caller.may(CHECKPOINT.access, "*"),
    }


def _stores(report: DoctorOutput) -> Iterator[Store]:
    """Yield the parts of the home with the disk space of each; nothing if the report has no `pulse`, its counts."""
    used = {name: size for name, size in report.pulse.disk.items() if name != "free"} if report.pulse else {}
    total = sum(used.values())
    for name, size in used.items():
        yield Store(name, _PLACES.get(name, ""), _size(size), meter(size, total, f"{name}: {_size(size)}", fills=False))


def _size(size: int) -> str:
    """Render a number of bytes as `12.5 MiB`, from 1 GiB on as `1.5 GiB`."""
    return f"{size / 2**20:,.1f} MiB" if size < 2**30 else f"{size / 2**30:,.1f} GiB"


HEALTH: tuple[Page, ...] = (Page("health", "health.html", _health, "Health"),)
