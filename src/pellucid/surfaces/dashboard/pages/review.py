"""Memories that a person should look at in, the page of their queue out."""

from collections.abc import Mapping, Sequence

from pellucid.operations.memory.changing import ARCHIVE, RETRACT
from pellucid.operations.memory.forgetting import FORGET
from pellucid.operations.memory.reverifying import REVERIFY
from pellucid.operations.memory.reviewing import REVIEW as ROW
from pellucid.operations.memory.reviewing import ToReview
from pellucid.operations.memory.trusting import PROMOTE
from pellucid.operations.memory.undoing import UNDO
from pellucid.surfaces.dashboard.rendering import with_memory_links
from pellucid.surfaces.dashboard.view import Page, PageView, memory_of
from pellucid.xray.words.headline import headline

_ON_A_PAGE = 20
_MEANT = {
    "flagged": "somebody who was given it found it wrong, or no longer true",
    "waiting": "its file says that it waits, or is kept back",
    "quarantined": "it came from where nobody stands behind the words; nothing recalls it until it is let in",
    "disputed": "it was called into question, or cannot hold together with another one",
    "stale": "nobody stood behind it for a long time, or it decayed, and recalls still give it",
}
_ACTS = {
    "promote": (PROMOTE, ""),
    "reverify": (REVERIFY, ""),
    "undo": (UNDO, ""),
    "archive": (ARCHIVE, "quiet"),
    "retract": (RETRACT, "quiet"),
    "forget": (FORGET, "quiet"),
}
"""The operations on an item, with the class of each button."""


def _queue(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of 20 memories to review (`found`) of the query's `kind` ("": of every
    kind), with the operations that the caller can run (`acts`), and by memory id the names of those that fit the memory
    (`fitting`). Only with `resting` in the query are stale memories among them that no recall gave lately.
    """
    kind, resting = view.query.get("kind", ""), bool(view.query.get("resting"))
    found = view.ask(ROW, kind=kind, resting=resting, after=view.query.get("after"), limit=_ON_A_PAGE)
    allowed = {name: act for name, act in _ACTS.items() if view.may(act[0])}
    fitting = {each.memory.id: _fitting_acts(allowed, each) for each in found.items}
    return {
        "title": "Review",
        "found": found,
        "kind": kind,
        "resting": resting,
        "linked": with_memory_links,
        "words": _rival_words(view, found.items),
        "stale_days": view.host.app.settings.lifecycle.stale_after_days,
        "meant": _MEANT,
        "acts": allowed,
        "fitting": fitting,
        "offered": [act for name, act in allowed.items() if any(name in names for names in fitting.values())],
    }


def _rival_words(view: PageView, items: Sequence[ToReview]) -> Mapping[str, str]:
    """Map the ids of the memories that these items contradict to a headline of their words; memories that are gone are
    left out.
    """
    rivals = (memory_of(view, rival) for each in items for rival in each.memory.disputed_with)
    return {each.id: headline(each.content) for each in rivals if each}


def _fitting_acts(allowed: Mapping[str, object], item: ToReview) -> list[str]:
    """Return the names of the allowed acts that fit an item: `promote` a quarantined one, `reverify` a flagged or stale
    one, `undo` a disputed status, `archive` and `retract` anything but a section, `forget` every item.
    """
    memory, kinds = item.memory, {each.kind for each in item.reasons}
    fits = {
        "promote": "quarantined" in kinds,
        "reverify": bool(kinds & {"flagged", "stale"}),
        "undo": memory.status == "disputed",
        "archive": memory.category != "section",
        "retract": memory.category != "section",
        "forget": True,
    }
    return [name for name in allowed if fits[name]]


REVIEW = (Page("review", "review_queue.html", _queue, label="Review"),)
