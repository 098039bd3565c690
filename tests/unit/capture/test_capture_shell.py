"""Shell lines as agents write them: which commands stand in them, with which words, and whose failure would show."""

import pytest

from pellucid.capture.transcripts.tools.shell import parse_commands


def words(line: str) -> list[tuple[str | None, ...]]:
    return [command.words for command in parse_commands(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git add . && git commit -m 'one two'", [("git", "add", "."), ("git", "commit", "-m", "one two")]),
        ('git commit -m "a \\"b\\" \\$c"', [("git", "commit", "-m", 'a "b" $c')]),
        ("echo it\\'s; ls # not a command", [("echo", "it's"), ("ls",)]),
        ("git commit -m $'one\\ntwo'", [("git", "commit", "-m", "one\ntwo")]),
        ("a 2>&1 >out.txt | b", [("a",), ("b",)]),
        ("echo a\\\n  b", [("echo", "a", "b")]),
        ("(cd x && make)", [("cd", "x"), ("make",)]),
        ("echo issue#7", [("echo", "issue#7")]),
        ("git commit -m 'open", []),
        ('ls; git commit -m "open', [("ls",)]),
        ("", []),
    ],
)
def test_a_line_is_read_as_a_shell_would_cut_it(line: str, expected: list[tuple[str, ...]]):
    assert words(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        'git commit -m "$(cat <<\'EOF\'\nTitle\n\nBody with "quotes" and $money.\nEOF\n)"',
        'git commit -m "$(cat <<EOF\nTitle\n\nBody with "quotes" and $money.\nEOF)"',
        'git commit -m "$(cat <<-\'EOF\'\n\tTitle\n\n\tBody with "quotes" and $money.\n\tEOF\n)"',
    ],
)
def test_a_heredoc_inside_quotes_is_the_value_of_its_word(line: str):
    assert words(line) == [("git", "commit", "-m", 'Title\n\nBody with "quotes" and $money.')]


def test_a_heredoc_feeds_its_command_and_the_line_goes_on():
    first, second = parse_commands("git commit -F - <<'END' && git push\nTitle\n\ngit commit -m fake\nEND\n")

    assert (first.words, first.heredoc) == (("git", "commit", "-F", "-"), "Title\n\ngit commit -m fake\n")
    assert second.words == ("git", "push")


@pytest.mark.parametrize("value", ['"$MSG"', "$(date)", '"as of `date`"', "${MSG}", '"$(make "x")"'])
def test_a_word_that_only_a_shell_could_expand_has_no_value(value: str):
    assert words(f"git commit -m {value} -q") == [("git", "commit", "-m", None, "-q")]


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("git commit -m x", False),
        ("git commit -m x && git push", False),
        ("git commit -m x;", False),
        ("git commit -m x\n", False),
        ("git commit -m x || true", True),
        ("git commit -m x | tail -1", True),
        ("git commit -m x; git log", True),
        ("git commit -m x\ngit log", True),
    ],
)
def test_a_failure_that_the_line_would_hide_is_known(line: str, masked: bool):
    assert parse_commands(line)[0].masked is masked


@pytest.mark.parametrize("piece", ["$(cat <<E ", "a;", "<<E ", "$(", '"`', "x", "\\", "'", "((", "<<'E'\nE\n"])
def test_any_long_line_is_read_to_its_end(piece: str):
    assert isinstance(parse_commands(piece * 20_000), list)
