"""Documents whose names are read otherwise today in, what of the graph would change out, in words."""

from contextlib import closing
from pathlib import Path

import apsw

from kits.graph import HERE, document, rewrite, section
from kits.somebody_else import said_by_somebody_else
from kits.vault import open_home
from pellucid.app import App
from pellucid.documents.names.naming import Naming
from pellucid.operations.graph.backfilling import BackfillInput, backfill
from pellucid.vault.documents import document_path


def test_the_part_that_is_meant_is_written_as_everywhere(whole: App) -> None:
    made = document(whole, "SPEC-905")
    rewrite(whole, made, [section(whole, "Depends on", "- TICKET-7 §3\n- [TICKET-8](ticket-8.md#dedup-contract)")])
    object.__setattr__(whole.indexer, "naming", Naming(("SPEC", "TICKET")))
    (diff,) = backfill(whole, BackfillInput(namespace=HERE)).diffs
    assert [line for line in diff.added if "DEPENDS_ON" in line] == [
        "spec-905 DEPENDS_ON ticket-7 §3 (Depends on) 0.95",
        "spec-905 DEPENDS_ON ticket-8 #dedup-contract (Depends on) 0.95",
    ]


def test_what_a_memory_answers_for_is_counted_like_everything_else(whole: App) -> None:
    made = document(whole, "SPEC-905")
    rewrite(whole, made, [section(whole, "Overview", "Deliveries are retried"), section(whole, "Limits", "Up to nine")])
    backfill(whole, BackfillInput(namespace=HERE, apply=True))
    with closing(
        apsw.Connection(str(whole.settings.home / "index.db"))
    ) as index:  # as if older rules had read the file
        index.execute("DELETE FROM homes")
    found = backfill(whole, BackfillInput(namespace=HERE, apply=True))
    assert [line.partition(" ")[2] for each in found.diffs for line in each.added] == ["answers for spec-905"] * 2
    assert (found.added, found.removed) == ({"answers": 2}, {})
    assert backfill(whole, BackfillInput(namespace=HERE)).diffs == ()


def test_a_file_that_may_not_be_read_is_listed_and_the_others_are_compared(reachable: Path) -> None:
    app = open_home(reachable, None)
    locked, other = (document_path(document(app, entity)) for entity in ("SPEC-905", "SPEC-906"))
    app.close()
    (reachable / "vault" / locked).chmod(0)

    def look() -> str:
        found = backfill(open_home(reachable, None), BackfillInput(namespace=HERE))
        return f"{found.files} {found.unreadable}"

    assert other != locked
    assert said_by_somebody_else(reachable, look) == f"1 ('{locked} cannot be read: Permission denied',)"
