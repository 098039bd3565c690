"""Folders as they are called, and the namespaces they may get: none that is somebody else's."""

import re

import pytest
from pydantic import ValidationError

from pellucid.model.project import RESERVED, Project, ProjectRegistry, contains_folder, folder_path
from pellucid.settings.sections import NAMESPACE_PATTERN


def named(*roots: str, taken: frozenset[str] = frozenset()) -> list[str]:
    """The namespaces that roots get, one after the other."""
    known = ProjectRegistry()
    for root in roots:
        known = known.with_root(root, None, taken.__contains__)
    found = [known.of_root(root) for root in roots]
    return [each.namespace for each in found if each]


def test_a_root_is_called_after_its_folder() -> None:
    assert named("/home/ada/my-repo", "/srv/Pellucid.git", "C:\\work\\Shop API") == [
        "local/my-repo",
        "local/pellucid",
        "local/shop-api",
    ]


def test_roots_of_one_name_stay_apart() -> None:
    assert named("/a/api", "/b/api", "/c/b/api", "/d/b/api") == [
        "local/api",
        "local/b-api",
        "local/api-2",
        "local/api-3",
    ]


@pytest.mark.parametrize(
    "hostile",
    [
        "/x/default",
        "/x/persona",
        "/x/api",
        "/x/API",
        "/x/ａｐｉ",
        "/x/api ",
        "/x/..api",
        "/x/-api-",
        "/x/" + "a" * 300,
        "/x/日本",
        "/x/\u202eipa",
        "/x/a\u200bpi",
        "/x/...",
        "/x/;rm -rf ~",
        "/x/\x1b]0;owned\x07",
        "/x/api\n",
        "/x/local%2fapi",
        "\\\\host\\share\\api",
        "/x/\U0001f600",
        "/x/___",
        "/x/mem",
    ],
)
def test_no_folder_is_called_into_a_namespace_that_is_taken(hostile: str) -> None:
    (mine, other) = named("/home/ada/api", hostile, taken=frozenset({"local/mem"}))
    assert re.match(NAMESPACE_PATTERN, other)
    assert other not in {mine, "local/mem"} | RESERVED
    assert other.startswith("local/")


def test_a_folder_is_compared_by_its_parts_and_not_by_its_letters() -> None:
    assert contains_folder("/home/ada/api", "/home/ada/api/src")
    assert contains_folder("/home/ada/api", "/home/ada/x/../api")
    assert not contains_folder("/home/ada/api", "/home/ada/api-2")
    assert not contains_folder("/home/ada/api", "/home/ada/api/../other")
    assert contains_folder("C:\\work", "c:\\Work\\api")
    assert not contains_folder("/C:/work", "C:\\work\\api")


@pytest.mark.parametrize("text", ["", "api", "../api", "~/api", "./x", "\0", "C:api", "/a\0b", "//srv/share/a\0b"])
def test_what_is_no_absolute_folder_is_none(text: str) -> None:
    assert folder_path(text) is None
    assert not contains_folder("/", text)


def test_the_deepest_root_holds_a_folder() -> None:
    known = ProjectRegistry()
    for root in ("/a", "/a/b/c", "/a/b"):
        known = known.with_root(root, None, lambda _: False)
    found = known.nearest("/a/b/x")
    assert found
    assert found[1] == "/a/b"
    assert known.nearest("/elsewhere") is None


def test_a_worktree_that_became_a_root_of_its_own_is_no_longer_the_others() -> None:
    known = ProjectRegistry().with_root("/a/api", "/tmp/wt", lambda _: False)
    known = known.with_root("/tmp/wt", None, lambda _: False)
    assert [(each.root, each.worktrees) for each in known.projects] == [("/a/api", ()), ("/tmp/wt", ())]


@pytest.mark.parametrize(
    ("namespace", "root"), [("Local/api", "/a"), ("../x", "/a"), ("local/a", "a"), ("local/a", "/a/../b")]
)
def test_a_registry_that_was_written_wrongly_is_refused(namespace: str, root: str) -> None:
    with pytest.raises(ValidationError):
        Project(namespace=namespace, root=root)
