"""The turns of sessions in, memories out: files and live sessions, filed by project, each turn exactly once."""
