"""A transcript that grows while it is read in, whole lines out."""

from pathlib import Path

import pytest

from pellucid.operations.hooks.transcripts import _lines  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("rest", ["2}\n", '2}\n{"c":3}\n'])
def test_a_line_that_is_finished_while_the_ones_before_it_are_taken_is_read_whole_next_time(
    tmp_path: Path, rest: str
) -> None:
    transcript = tmp_path / "session.jsonl"
    transcript.write_text('{"a":1}\n{"b":', "utf-8")
    read, offset = list[str](), 0
    for lines, after in _lines(str(transcript), 0, with_unfinished=False):
        read, offset = [*read, *lines], after
        with transcript.open("a", encoding="utf-8") as writer:
            writer.write(rest)
    for lines, after in _lines(str(transcript), offset, with_unfinished=False):
        read, offset = [*read, *lines], after
    assert "".join(read) == transcript.read_text("utf-8")
    assert offset == transcript.stat().st_size
