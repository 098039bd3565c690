"""What a session makes, changes and mentions is named as its project names it, once."""

from pellucid.model.turn import Turn
from pellucid.observe.extract.artifacts import artifacts_by_turn, merge_artifacts


def edit(path: str, folder: str | None, ordinal: int = 0) -> Turn:
    return Turn(
        role="tool",
        content=f"file_path: {path}",
        tool="Edit",
        folder=folder,
        session_id="s1",
        ordinal=ordinal,
    )


def names(*turns: Turn) -> list[str]:
    return [str(each) for each in merge_artifacts(artifacts_by_turn(turns))]


def test_a_changed_file_is_named_by_its_path_below_the_sessions_folder() -> None:
    assert names(edit("/home/ana/shop/api/cart.go", "/home/ana/shop")) == ["changed file api/cart.go"]


def test_a_file_elsewhere_or_of_a_session_without_a_folder_keeps_its_whole_path() -> None:
    assert names(edit("/etc/hosts", "/home/ana/shop")) == ["changed file /etc/hosts"]
    assert names(edit("/etc/hosts", None)) == ["changed file /etc/hosts"]
    assert names(edit("/home/ana/shop-old/cart.go", "/home/ana/shop")) == ["changed file /home/ana/shop-old/cart.go"]


def test_a_changed_file_that_is_also_mentioned_by_the_end_of_its_path_stands_there_once() -> None:
    said = Turn(
        role="assistant",
        content="Now cart.go and api/cart.go agree; tax.go is next.",
        session_id="s1",
        ordinal=1,
    )
    assert names(edit("/home/ana/shop/api/cart.go", "/home/ana/shop"), said) == [
        "changed file api/cart.go",
        "mentioned file tax.go",
    ]


def test_an_agent_that_moves_into_a_folder_below_still_names_files_from_where_it_began() -> None:
    turns = (
        edit("/home/ana/shop/README.md", "/home/ana/shop"),
        edit("/home/ana/shop/api/cart.go", "/home/ana/shop/api", 1),
    )
    assert names(*turns) == ["changed file README.md", "changed file api/cart.go"]
