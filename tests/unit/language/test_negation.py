"""Two statements in, whether they are of one matter, and on which sides."""

import pytest

from pellucid.language.statements.negation import polarity

CONTRADICTIONS = [
    ("The gateway uses Redis", "The gateway does not use Redis"),
    ("The gateway uses Redis", "The gateway no longer uses Redis"),
    ("The gateway uses Redis.", "The gateway doesn't use Redis anymore."),
    ("Ana: I like tea", "Ana: I don't like tea"),
    ("We deploy on Fridays", "We never deploy on Fridays"),
    ("Always deploy on Fridays", "Never deploy on Fridays"),
    ("I have a dog", "I have no dogs"),
    ("The worker runs with Docker", "The worker runs without Docker"),
    ("I drink coffee", "I stopped drinking coffee"),
    ("The server can restart", "The server cannot restart"),
    ("Der Dienst nutzt Redis", "Der Dienst nutzt Redis nicht"),
    ("Der Dienst nutzt Redis", "Der Dienst nutzt Redis nicht mehr"),
    ("Wir haben einen Hund", "Wir haben keinen Hund"),
    ("Ich trinke Kaffee", "Ich trinke nie Kaffee"),
    ("El servicio usa Redis", "El servicio no usa Redis"),
    ("El servicio usa Redis", "El servicio ya no usa Redis"),
    ("Bebo café", "Nunca bebo café"),
    ("Bebo café", "No bebo café nunca"),
    ("Redisを使います", "Redisは使いません"),
    ("Redisを使う", "Redisを使わない"),
    ("Redisを使っています", "もうRedisを使っていません"),
    ("コーヒーを飲みます", "コーヒーを飲まなくなりました"),
    ("猫が好きです", "猫が好きではありません"),
    ("時間がある", "時間がない"),
    ("我们使用Redis", "我们不使用Redis"),
    ("我们使用Redis", "我们不再使用Redis了"),
    ("我们使用Redis", "我们没有使用Redis"),
    ("我有猫", "我没有猫"),
]
SAME_SIDE = [
    ("The gateway uses Redis", "The gateway is not without Redis", False),
    ("We deploy on Fridays", "We do deploy on Fridays.", True),
    ("We never do not deploy on Fridays", "We deploy on Fridays", True),
    ("The TTL is 600", "The TTL is 600, not 300", True),
    ("No, the TTL is 600", "The TTL is 600", True),
    ("Der TTL ist 600", "Der TTL ist nicht 300, sondern 600", True),
    ("Nein, der Dienst nutzt Redis", "Der Dienst nutzt Redis", True),
    ("我们不是不使用Redis", "我们是使用Redis", True),
    ("Redisを使います", "Redisを使いました", True),
    ("We tried cafés", "We try café", True),
    ("x", "X.", True),
]
OTHER_MATTERS = [
    ("The TTL is 300", "The TTL is not 600"),
    ("The TTL is 3.5", "The TTL is not 35"),
    ("Ana: I like tea", "Ben: I don't like tea"),
    ("I like tea", "I don't want tea"),
    ("The gateway depends on the cache", "The cache does not depend on the gateway"),
    ("He likes tea", "I don't like tea"),
    ("I have a cart", "I have no car"),
    ("Der Dienst nutzt Redis", "Der Dienst startet Redis nicht"),
    ("Redisを使います", "Kafkaを使いません"),
    ("我们使用Redis", "我们不使用Kafka"),
    ("C++ is required", "C is not required"),
]


@pytest.mark.parametrize(("affirmed", "denied"), CONTRADICTIONS)
def test_a_statement_and_its_denial_share_a_key_and_take_opposite_sides(affirmed: str, denied: str) -> None:
    one, other = polarity(affirmed), polarity(denied)
    assert one.key == other.key
    assert (one.denied, other.denied) == (False, True)


@pytest.mark.parametrize(("one", "other"), [(one, other) for one, other, same in SAME_SIDE if same])
def test_what_is_said_twice_or_denied_twice_is_one_stance(one: str, other: str) -> None:
    assert polarity(one) == polarity(other)


@pytest.mark.parametrize(("one", "other"), OTHER_MATTERS)
def test_a_denial_of_something_else_has_another_key(one: str, other: str) -> None:
    assert polarity(one).key != polarity(other).key


@pytest.mark.parametrize(
    "text", ["It is not only fast", "There is no doubt that it works", "不但快", "这非常好", "使わなければなりません"]
)
def test_a_negator_that_denies_nothing_is_no_denial(text: str) -> None:
    assert not polarity(text).denied


def test_the_same_words_about_another_entity_have_another_key() -> None:
    assert polarity("The TTL is 5 s", "cache").key != polarity("The TTL is 5 s", "queue").key
    assert polarity("The TTL is 5 s", "The Cache").key == polarity("The TTL is 5 s", "the cache").key


def test_text_without_content_words_still_has_a_key_of_its_own() -> None:
    assert polarity("no").key != polarity("never").key
    assert polarity("").key != polarity("👍").key
