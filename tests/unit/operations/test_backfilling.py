"""Documents whose names are read otherwise today in, what of the graph would change out, in words."""

from kits.graph import HERE, document, rewrite, section
from pellucid.app import App
from pellucid.documents.names.naming import Naming
from pellucid.operations.graph.backfilling import BackfillInput, backfill


def test_the_part_that_is_meant_is_written_as_everywhere(whole: App) -> None:
    made = document(whole, "SPEC-905")
    rewrite(whole, made, [section(whole, "Depends on", "- TICKET-7 §3\n- [TICKET-8](ticket-8.md#dedup-contract)")])
    object.__setattr__(whole.indexer, "naming", Naming(("SPEC", "TICKET")))
    (diff,) = backfill(whole, BackfillInput(namespace=HERE)).diffs
    assert [line for line in diff.added if "DEPENDS_ON" in line] == [
        "spec-905 DEPENDS_ON ticket-7 §3 (Depends on) 0.95",
        "spec-905 DEPENDS_ON ticket-8 #dedup-contract (Depends on) 0.95",
    ]
