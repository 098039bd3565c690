"""Which tool calls put words into the history, and when their results show that they did."""

import pytest

from pellucid.capture.transcripts.tools.calls import read_call
from pellucid.capture.transcripts.tools.commits import confirmed_text, without_trailers

SIGNED = "🤖 Generated with [Some Agent](https://agent.example)\n\nCo-Authored-By: Agent <a@b.example>"
DONE = "[main 3dceabaa] Keep Redis\n 1 file changed, 2 insertions(+)"


def texts(tool: str, arguments: object, output: str = DONE, *, failed: bool | None = False) -> list[str]:
    found = (confirmed_text(each, output, failed=failed) for each in read_call(tool, arguments).commit_texts)
    return [text for text in found if text]


@pytest.mark.parametrize(
    "line",
    [
        "git commit -m 'Keep Redis' -m 'Memcached lost sessions.'",
        "cd /srv/shop && git add -A && git commit -am 'Keep Redis' --message='Memcached lost sessions.'",
        "GIT_EDITOR=true git -C /srv/shop -c user.name=x commit -m'Keep Redis' -m \"Memcached lost sessions.\"",
        "git commit -F - <<'EOF'\nKeep Redis\n\nMemcached lost sessions.\nEOF",
        f"git commit -m \"$(cat <<'EOF'\nKeep Redis\n\nMemcached lost sessions.\n\n{SIGNED}\nEOF\n)\" && git push",
    ],
)
def test_a_commit_message_is_read_from_every_way_to_give_it(line: str):
    assert texts("Bash", {"command": line}) == ["Keep Redis\n\nMemcached lost sessions."]


@pytest.mark.parametrize(
    "line",
    [
        "git commit --amend --no-edit",
        "git commit",
        "git commit -F notes.txt",
        'git commit -m "$MESSAGE"',
        "git commit --dry-run -m x",
        "git log -m x",
        "echo git commit -m x",
        "git stash push -m x",
        "grep 'git commit -m x' .",
    ],
)
def test_other_commands_write_no_message(line: str):
    assert texts("Bash", {"command": line}) == []


def test_only_a_shell_runs_a_command_line():
    assert texts("Write", {"command": "git commit -m x"}) == []


@pytest.mark.parametrize(
    ("line", "output", "failed", "kept"),
    [
        ("git commit -q -m x", "", False, True),
        ("git commit -m x", "Exit code 1\nhook: lint failed", True, False),
        ("git commit -m x", "On branch main\nnothing to commit, working tree clean", False, False),
        ("git commit -m x || true", "hook: lint failed", False, False),
        ("git commit -m x || true", DONE, False, True),
        ("git commit -m x | tail -3", DONE, False, True),
        ("git commit -m x; git status", "clean", False, False),
        ("git commit -m x", "Committed, I think", None, False),
        ("git commit -m x", DONE, None, True),
        ("git commit -m x && git push", f"{DONE}\nfatal: no upstream", True, False),
    ],
)
def test_a_message_counts_only_where_the_result_shows_the_commit(
    line: str, output: str, failed: bool | None, kept: bool
):
    assert texts("Bash", {"command": line}, output, failed=failed) == (["x"] if kept else [])


def test_a_pull_request_keeps_its_title_text_and_address():
    line = (
        "gh pr create --draft --title 'Keep Redis' --body \"$(cat <<'EOF'\n## Why\nMemcached lost sessions.\nEOF\n)\""
    )

    assert texts("Bash", {"command": line}, "https://git.example/shop/pull/7\n") == [
        "Keep Redis\n\n## Why\nMemcached lost sessions.\n\nPull request: https://git.example/shop/pull/7"
    ]
    assert texts("Bash", {"command": "gh pr edit 7 --body-file - <<E\nNew text.\nE"}, "") == ["New text."]
    assert texts("Bash", {"command": "gh pr view 7 --title x"}, "") == []


def test_a_hosted_tool_that_opens_a_request_is_read_by_its_fields():
    fields = {"title": "Keep Redis", "body": "Memcached lost sessions.", "head": "redis"}

    assert texts("mcp__github__create_pull_request", fields, "{}") == ["Keep Redis\n\nMemcached lost sessions."]
    assert texts("mcp__github__create_pull_request", fields, "403", failed=True) == []
    assert texts("mcp__github__get_pull_request", fields, "{}") == []


def test_a_codex_shell_is_known_by_the_words_of_its_call():
    assert texts("shell", {"command": ["bash", "-lc", "git commit -m 'Keep Redis'"]}) == ["Keep Redis"]
    assert texts("shell", {"command": ["git", "commit", "-m", "Keep it's Redis"]}) == ["Keep it's Redis"]
    assert texts("exec_command", '{"cmd": "git commit -m \'Keep Redis\'"}') == ["Keep Redis"]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("fix: the cache", "fix: the cache"),
        ("Title\n\nBody\n\nFixes: #12\nSigned-off-by: A <a@b.example>\nReviewed-by: B", "Title\n\nBody\n\nFixes: #12"),
        (
            "Title\n\nWritten by the old importer: gone.\n\nMore.",
            "Title\n\nWritten by the old importer: gone.\n\nMore.",
        ),
        ("Co-authored-by: A <a@b.example>", ""),
    ],
)
def test_lines_about_who_wrote_it_are_left_out_at_the_end_alone(message: str, kept: str):
    assert without_trailers(message) == kept


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("pellucid recall 'x'", True),
        ("cd x && /opt/bin/pellucid list", True),
        ("uvx pellucid why", True),
        ("uv run pellucid show a", True),
        ("python -m pellucid recall x", True),
        ("A=1 pellucid list | head", True),
        ("timeout 20 pellucid xray", True),
        ("cat pellucid.toml", False),
        ("grep pellucid .", False),
        ("git commit -m pellucid", False),
        ("pytest tests -k pellucid", False),
        ("uv run pytest pellucid", False),
    ],
)
def test_a_call_of_pellucid_is_known_by_its_program(command: str, ours: bool):
    assert read_call("Bash", {"command": command}).ours is ours


def test_a_tool_of_our_server_is_ours():
    assert read_call("mcp__pellucid__memory_recall", {}).ours
    assert not read_call("mcp__other__pellucid_status", {}).ours
