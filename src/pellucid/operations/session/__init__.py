"""The turns of sessions in, memories out: from files and live sessions, filed by project, each turn exactly once."""
