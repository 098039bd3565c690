"""Flags, environment and files in, the settings that win and the words about those that cannot out."""

import os
from pathlib import Path
from typing import NoReturn

import pytest

from kits.settings import toml
from pellucid.errors import InputError
from pellucid.operations.admin.configuration import SETTINGS, SettingRow
from pellucid.operations.operation import Call
from pellucid.settings import Settings, load, settings_hash
from pellucid.settings.changed import changed
from pellucid.settings.sections import RecallSettings


@pytest.mark.requirement("CLI-4")
def test_flag_beats_environment_beats_file_beats_default(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, here = places
    assert load(home=home).namespace == "local/default"
    toml(home, 'namespace = "from/home"\n')
    assert load(home=home).namespace == "from/home"
    toml(here, 'namespace = "from/here"\n')
    assert load(home=home).namespace == "from/here"
    monkeypatch.setenv("PELLUCID_NAMESPACE", "from/environment")
    assert load(home=home).namespace == "from/environment"
    assert load(home=home, namespace="from/flag").namespace == "from/flag"
    assert load(home=home, namespace=None).namespace == "from/environment"


@pytest.mark.requirement("CLI-4")
def test_each_nested_value_has_its_own_precedence(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    home, _ = places
    toml(home, "[recall]\ntopKFacts = 5\ncharBudget = 900\n[recall.legWeights]\nvector = 3.0\nlexical = 2.0\n")
    monkeypatch.setenv("PELLUCID_RECALL__TOP_K_FACTS", "7")
    monkeypatch.setenv("PELLUCID_RECALL__LEG_WEIGHTS__VECTOR", "0.25")
    recall = load(home=home).recall
    assert (recall.top_k_facts, recall.char_budget, recall.rrf_k) == (7, 900, RecallSettings().rrf_k)
    assert (recall.leg_weights.vector, recall.leg_weights.lexical) == (0.25, 2.0)


@pytest.mark.requirement("CLI-4")
def test_two_files_are_merged_value_by_value(places: tuple[Path, Path]) -> None:
    home, here = places
    toml(home, "[recall]\ntopKFacts = 5\npool = 77\n[capture]\nmaxTurnChars = 500\n")
    toml(here, "[recall]\ntopKFacts = 6\ncharBudget = 900\n")
    loaded = load(home=home)
    assert (loaded.recall.top_k_facts, loaded.recall.char_budget, loaded.recall.pool) == (6, 900, 77)
    assert loaded.capture.max_turn_chars == 500


def test_the_home_comes_from_the_environment_and_is_expanded(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, _ = places
    monkeypatch.setenv("PELLUCID_HOME", str(home))
    assert load().home == home
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("PELLUCID_HOME")
    assert load().home == home / ".pellucid"
    assert load(home="~/elsewhere").home == home / "elsewhere"
    assert load(home="relative").home == Path.cwd() / "relative"


def test_an_empty_home_is_not_the_working_directory(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PELLUCID_HOME", "")
    assert load().home == Path("~/.pellucid").expanduser()


def test_settings_are_frozen(places: tuple[Path, Path]) -> None:
    loaded = load(home=places[0])
    for target, name in ((loaded, "namespace"), (loaded.recall, "pool"), (loaded.recall.leg_weights, "vector")):
        with pytest.raises(ValueError, match="frozen"):
            setattr(target, name, 1)


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[recall]\ntopKFacts = 0\n", "recall.topKFacts"),
        ('[recall]\ntopKFacts = "many"\n', "recall.topKFacts"),
        ("[recall]\ntopKFact = 5\n", "recall.topKFact"),
        ("[recall.legWeight]\nvector = 1\n", "recall.legWeight"),
        ('namespace = "Not A Namespace"\n', "namespace"),
        ("recall = 3\n", "recall"),
        ("[recall\n", "not valid TOML"),
        ('namespac = "a/b"\n', "namespac"),
        ("[recal]\ntopKFacts = 5\n", "recal"),
        ("a = " + "[" * 20_000, "not valid TOML"),
        ("[recall]\ntopKFacts = " + "9" * 5_000 + "\n", "not valid TOML"),
        ("#" * 70_000, "larger than 64 KiB"),
    ],
)
@pytest.mark.parametrize("place", [0, 1], ids=["home", "folder"])
def test_a_wrong_file_is_refused_and_the_setting_named(
    places: tuple[Path, Path], text: str, said: str, place: int
) -> None:
    home, _ = places
    toml(places[place], text)
    with pytest.raises(InputError) as caught:
        load(home=home)
    assert caught.value.code == "invalid_setting"
    assert caught.value.exit_code == 2
    assert said in caught.value.message
    assert caught.value.next_step


def test_a_file_that_is_no_text_is_refused(places: tuple[Path, Path]) -> None:
    home, here = places
    (here / "pellucid.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError):
        load(home=home)


def test_a_pipe_is_not_waited_for(places: tuple[Path, Path]) -> None:
    home, here = places
    os.mkfifo(here / "pellucid.toml")
    with pytest.raises(InputError, match="no plain file"):
        load(home=home)


def test_a_file_that_cannot_be_opened_is_refused(places: tuple[Path, Path]) -> None:
    home, here = places
    (here / "pellucid.toml").mkdir()
    with pytest.raises(InputError):
        load(home=home)


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PELLUCID_RECALL__TOP_K_FACTS", "many", "recall.topKFacts"),
        ("PELLUCID_NAMESPACE", "nowhere", "namespace"),
        ("PELLUCID_RECALL__NO_SUCH_THING", "1", "recall.noSuchThing"),
        ("PELLUCID_RECALL", "abc", "recall"),
        ("PELLUCID_CAPTURE__EXCLUDE_PATHS", "*.secret", "capture.excludePaths"),
        ("PELLUCID_RECALL__POOL__SIZE", "5", "recall.pool"),
    ],
)
def test_a_wrong_variable_is_refused_and_the_setting_named(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError) as caught:
        load(home=places[0])
    assert said in caught.value.message
    assert caught.value.code == "invalid_setting"


def test_a_wrong_file_is_refused_even_where_the_environment_has_a_say(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    toml(places[1], "recall = 3\n")
    monkeypatch.setenv("PELLUCID_RECALL__TOP_K_FACTS", "7")
    with pytest.raises(InputError):
        load(home=places[0])


def test_lists_may_come_from_a_variable_as_json(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PELLUCID_CAPTURE__EXCLUDE_PATHS", '["*.secret", "~/private"]')
    assert load(home=places[0]).capture.exclude_paths == ("*.secret", "~/private")


@pytest.mark.parametrize(
    "variables",
    [
        {"PELLUCID_RECALL": '{"topKFacts": 7, "pool": 9}', "PELLUCID_RECALL__POOL": "77"},
        {"pellucid_recall__top_k_facts": "7", "Pellucid_Recall__Pool": "77", "PELLUCID_POOL": "1", "PELLUCID_": "1"},
    ],
    ids=["a section as JSON, and what stands in it by itself", "in lower case, among others"],
)
def test_a_variable_is_read_by_its_name_alone(
    variables: dict[str, str], places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    loaded = load(home=places[0])
    assert (loaded.recall.top_k_facts, loaded.recall.pool) == (7, 77)
    assert loaded.sources["recall.pool"] == "PELLUCID_RECALL__POOL"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("", '{"historical": {"temporal": 0.25}}'),
        ("__HISTORICAL", '{"temporal": 0.25}'),
        ("__HISTORICAL__TEMPORAL", ".25"),
    ],
)
def test_a_table_may_come_from_variables_whole_or_in_parts(
    name: str, value: str, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"PELLUCID_RECALL__CLASS_WEIGHTS{name}", value)
    assert load(home=places[0]).recall.class_weights == {"historical": {"temporal": 0.25}}


def test_a_text_that_looks_like_json_stays_a_text(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PELLUCID_LLM__MODEL", "[1]")
    assert load(home=places[0]).llm.model == "[1]"


def test_settings_that_are_made_read_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PELLUCID_RECALL__POOL", "77")
    assert Settings().recall.pool == RecallSettings().pool


@pytest.mark.parametrize(
    ("said", "command"), [("claude -p", "claude -p"), ('["claude", "-p"]', ("claude", "-p")), ("ollama", "ollama")]
)
def test_a_command_may_come_from_a_variable_as_words_or_as_json(
    said: str, command: object, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PELLUCID_LLM__COMMAND", said)
    assert load(home=places[0]).llm.command == command


def test_a_command_may_stand_in_the_home_file_as_words_or_as_a_list(places: tuple[Path, Path]) -> None:
    for written, command in (('"claude -p"', "claude -p"), ('["claude", "-p"]', ("claude", "-p"))):
        toml(places[0], f"[llm]\ncommand = {written}\n")
        assert load(home=places[0]).llm.command == command


@pytest.mark.parametrize("namespace", ["a/b", "a.b-c_1/d", "0/0", "a" * 64 + "/b"])
def test_these_are_namespaces(namespace: str) -> None:
    assert Settings(namespace=namespace).namespace == namespace


@pytest.mark.parametrize(
    "namespace", ["", "a", "a/", "/b", "A/b", "a/b/c", "a b/c", "../b", ".a/b", "a/b\n", "a" * 65 + "/b"]
)
def test_these_are_none(namespace: str) -> None:
    with pytest.raises(ValueError, match="namespace"):
        Settings(namespace=namespace)


def test_the_hash_names_the_settings_of_a_recall() -> None:
    plain = RecallSettings()
    assert settings_hash(plain) == settings_hash(RecallSettings(rrf_k=plain.rrf_k))
    assert len(settings_hash(plain)) == 16
    assert settings_hash(plain) != settings_hash(RecallSettings(rrf_k=11))


def test_weights_of_a_class_are_checked_like_the_others(tmp_path: Path) -> None:
    given = load(home=tmp_path, recall={"class_weights": {"historical": {"temporal": 0.25, "rerank_passage": 0}}})
    assert given.recall.class_weights == {"historical": {"temporal": 0.25, "rerank_passage": 0.0}}
    for wrong in ({"hysterical": {"temporal": 1}}, {"historical": {"temporel": 1}}, {"historical": {"temporal": -1}}):
        with pytest.raises(InputError, match="classWeights"):
            load(home=tmp_path, recall={"class_weights": wrong})


def test_values_changed_for_one_run_leave_the_others_as_they_were(places: tuple[Path, Path]) -> None:
    home, _ = places
    toml(home, "[recall]\npool = 77\n[recall.legWeights]\nlexical = 2.0\n")
    before = load(home=home)
    after = changed(before, {"recall.legWeights.vector": 0.8, "recall.top_k_facts": 3, "observe.highSignal": False})
    assert (after.recall.leg_weights.vector, after.recall.leg_weights.lexical, after.recall.pool) == (0.8, 2.0, 77)
    assert (after.recall.top_k_facts, after.observe.high_signal, after.home) == (3, False, home)
    assert changed(before, {}) == before


def test_values_changed_for_one_run_keep_the_namespace_of_the_project(places: tuple[Path, Path]) -> None:
    home, _ = places
    for before in (load(home=home), load(home=home, namespace="from/flag")):
        after = changed(before.in_project("local/crane"), {"recall.topKFacts": 3})
        assert (after.namespace, after.namespace_is_given, after.recall.top_k_facts) == ("local/crane", False, 3)
    named = changed(load(home=home).in_project("local/crane"), {"namespace": "local/named"})
    assert (named.namespace, named.namespace_is_given) == ("local/named", True)
    given = changed(load(home=home, namespace="from/flag"), {"recall.topKFacts": 3})
    assert (given.namespace, given.namespace_is_given) == ("from/flag", True)


@pytest.mark.parametrize(("name", "value"), [("recall.luck", 1), ("recall.topKFacts", 0), ("luck", 1), ("recall", 1)])
def test_a_changed_value_that_cannot_be_is_refused_by_its_name(
    places: tuple[Path, Path], name: str, value: object
) -> None:
    with pytest.raises(InputError, match=f"setting {name}"):
        changed(load(home=places[0]), {name: value})


def listed(settings: Settings, *, changed: bool = False) -> dict[str, SettingRow]:
    """The rows of the settings that the operation lists, by name; it opens no home."""

    def open_home() -> NoReturn:
        raise AssertionError("a home was opened")

    return {each.name: each for each in SETTINGS(Call(settings, open_home), changed=changed).settings}


def test_each_setting_in_force_says_where_it_was_set(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, here = places
    toml(home, "[recall]\ntopKFacts = 5\n[history]\nreceipts = 9\n[recall.classWeights]\nother = {recent = 1.0}\n")
    toml(here, "[recall]\ntopKFacts = 6\n")
    monkeypatch.setenv("PELLUCID_RECALL__LEG_WEIGHTS__VECTOR", "0.25")
    rows = listed(load(home=home, namespace="a/b"))
    assert (rows["recall.topKFacts"].value, rows["recall.topKFacts"].source) == ("6", str(here / "pellucid.toml"))
    assert rows["history.receipts"].source == rows["recall.classWeights"].source == str(home / "pellucid.toml")
    assert rows["recall.legWeights.vector"].source == "PELLUCID_RECALL__LEG_WEIGHTS__VECTOR"
    assert (rows["namespace"].value, rows["namespace"].source) == ('"a/b"', "this command")
    assert (rows["recall.pool"].value, rows["recall.pool"].source) == (rows["recall.pool"].default, "default")
    assert listed(load(home=home), changed=True).keys() == {
        name for name, each in rows.items() if each.source != "default"
    } - {"namespace"}


def test_the_settings_in_force_show_no_secret(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    home, _ = places
    monkeypatch.setenv("PELLUCID_LLM__API_KEY", "not-to-be-read")
    monkeypatch.setenv("PELLUCID_LLM__BASE_URL", "https://ana:hunter2hunter2@models.example/v1")
    rows = listed(load(home=home))
    assert (rows["llm.apiKey"].value, rows["rerank.apiKey"].value) == ("set", "not set")
    shown = str(rows)
    assert "not-to-be-read" not in shown
    assert "hunter2" not in shown
