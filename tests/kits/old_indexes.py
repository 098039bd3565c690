"""The index of a home in, what an earlier version of its schema would be out."""

from contextlib import closing
from pathlib import Path

import apsw


def as_fourth_version(home: Path) -> None:
    """Make an index what the fourth version of its schema would be."""
    with closing(apsw.Connection(str(home / "index.db"))) as index:
        for table in (
            "standings",
            "graph_segments",
            "homes",
            "aliases",
            "claims",
            "edges",
            "entity_facts",
            "documents",
            "sources",
            "states",
            "nodes",
            "entity_types",
        ):
            index.execute(f"DROP TABLE {table}")
        for name in ("memories_created", "memories_doubted", "memories_aging", "folds_decayed"):
            index.execute(f"DROP INDEX {name}")
        for column in ("status", "invalid_at", "expires_at", "consolidated"):
            index.execute(f"ALTER TABLE memories DROP COLUMN {column}")
        index.execute("PRAGMA user_version = 4")


def as_first_version(home: Path) -> None:
    """Make an index what the first version of its schema would be."""
    as_fourth_version(home)
    with closing(apsw.Connection(str(home / "index.db"))) as index:
        for table in ("attributes", "episodes", "folds", "tombstones", "tags", "mentions", "stories"):
            index.execute(f"DROP TABLE {table}")
        index.execute("DROP INDEX memories_stance; DROP INDEX memories_category")
        for column in ("stance", "category", "agent", "about", "asks", "direct"):
            index.execute(f"ALTER TABLE memories DROP COLUMN {column}")
        index.execute("DELETE FROM meta WHERE key = 'ledgerSeq'; PRAGMA user_version = 1")
