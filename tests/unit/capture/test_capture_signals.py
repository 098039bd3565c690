"""Sentences in; which of them ask to be kept at once, beside near misses that do not."""

import pytest

from pellucid.capture.segment import cut_waiting, high_signal, high_signal_phrase
from pellucid.model.turn import Turn

SAID = """
remember | Remember this: the depot closes at six.
remember | Please remember that Ines owns the pool.
remember | OK, keep in mind each country has its own prefix.
remember | Fine. Don't forget that the lease ends in June.
remember | We decline the dedicated instance, write that down.
decided | We decided to keep one Redis instance.
decided | We've agreed on weekly releases.
from_now_on | From now on every release goes out on Tuesday.
label | Important: never restart the gateway on Mondays.
label | Correction: the feed runs every 15 minutes.
remember | Merk dir: Ines leitet das Team.
remember | Bitte merk dir, dass der Hafen um sechs schließt.
decided | Wir haben uns für PostgreSQL entschieden.
decided | Wir haben gestern beschlossen, dienstags auszuliefern.
from_now_on | Ab jetzt prüfen wir jede Änderung zu zweit.
label | Wichtig: montags nie neu starten.
label | Korrektur: es sind fünf Knoten.
remember | Recuerda que el muelle cierra a las seis.
remember | Por favor, ten en cuenta el prefijo de cada país.
decided | Hemos decidido usar PostgreSQL.
decided | Decidimos publicar los martes.
from_now_on | A partir de ahora revisamos todo entre dos.
label | Importante: no reiniciar los lunes.
label | Corrección: son cinco nodos.
remember | 締め切りは金曜日だと覚えておいてください。
decided | PostgreSQLを使うことに決めました。
decided | 毎週火曜日にリリースすることにしました。
from_now_on | これからは二人でレビューします。
label | 重要：月曜日は再起動しないこと。
label | 訂正: ノードは五台です。
remember | 请记住，仓库六点关门。
decided | 我们决定使用PostgreSQL。
from_now_on | 从现在开始，每周二发布。
from_now_on | 以后都用中文写文档。
label | 重要：周一不要重启。
label | 更正：一共五个节点。
"""
NOT_SAID = """
I don't remember this at all.
Do you remember that bug?
Remember that time when the depot burned?
Remember that one guy.
And remember, I'm always here for you.
I'll keep in mind what you said.
I'll write that down.
We haven't decided anything.
If we decided tomorrow it would be late.
Have we decided on the region?
What we decided is in the wiki.
Should we do it like that from now on?
That is important for the tests.
The correction was small.
The log says `remember this: x`.
> We decided to go.
Ich kann mir das nicht merken.
Hast du dir gemerkt, wer das war?
Wir haben noch nicht entschieden.
Wir haben nichts beschlossen.
Haben wir uns entschieden?
Ab jetzt lieferbar.
Das ist wichtig für die Tests.
Die Korrektur war klein.
No recuerdo que pasó.
Ella recuerda que llueve.
¿Recuerdas que lo dijimos?
Todavía no hemos decidido nada.
Si decidimos mañana será tarde.
Es importante para mí.
La corrección fue pequeña.
覚えていません。
覚えていますか？
まだ決めていません。
もう決めましたか？
今後について話しましょう。
それは重要です。
我记不住他的名字。
你还记得吗？
我们还没决定。
我们决定不了。
如果我们决定太晚就糟了。
以后再说吧。
这很重要。
"""


@pytest.mark.parametrize("line", SAID.strip().splitlines())
def test_a_phrase_that_asks_to_be_kept_is_a_high_signal(line: str) -> None:
    kind, _, sentence = line.partition(" | ")
    assert high_signal_phrase(sentence) == kind
    assert high_signal_phrase(f"Hm.\n{sentence}\nOK") == kind


@pytest.mark.parametrize("sentence", NOT_SAID.strip().splitlines())
def test_a_near_miss_is_not(sentence: str) -> None:
    assert high_signal_phrase(sentence) is None


def test_code_is_not_looked_at() -> None:
    assert high_signal_phrase("```\nImportant: this is a log line\n```\nWhat is it?") is None


def test_only_the_user_flushes_by_a_phrase_and_the_turn_belongs_to_its_segment() -> None:
    said = "We decided to keep one queue."
    turns = [
        Turn("s", 1, "user", "hm"),
        Turn("s", 2, "assistant", said),
        Turn("s", 3, "user", said),
        Turn("s", 4, "user", "ok"),
    ]

    whole, rest = cut_waiting(turns, [high_signal()])

    assert [(segment.signal, [turn.ordinal for turn in segment.turns]) for segment in whole] == [
        ("high_signal", [1, 2, 3])
    ]
    assert [turn.ordinal for turn in rest] == [4]
    assert whole[0].turns[-1].content == said
