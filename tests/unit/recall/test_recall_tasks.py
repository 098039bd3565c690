"""Queries that start a task and near misses in five languages in, whether a task is seen out."""

import pytest

from pellucid.recall.query.tasks import starts_task

TASKS = {
    "en": """
        How do I deploy the staging server?
        how can we rotate the signing keys
        How to bake the rye bread
        What are the steps to restore a backup?
        What should I do before the release?
        Walk me through the onboarding
        Deploy the site to staging
        Please release the new version.
        ok, now migrate the accounts table to the new schema
        Fix the login bug. The trace is below.
        We are about to move the database to another host
        I need to write the quarterly report
        I want to plant the tomatoes this weekend
        Let's refactor the parser
        Can you write a migration for the users table?
        Help me with the tax return
        run `make check`
        edit src/app.py
        Is there a runbook for failed payments?
        Write release notes for version 2
        We should probably cut a release today
        gimme a plan for moving the office
    """,
    "de": """
        Wie kann ich den Server neu starten?
        Wie richte ich die Sicherung ein?
        Wie macht man den Sauerteig?
        Was muss ich tun, bevor ich die Daten lösche?
        Welche Schritte gehören zur Freigabe?
        Ich muss den Bericht schreiben
        Wir wollen die Datenbank umziehen
        Lass uns den Parser aufräumen
        Installiere die neue Version
        Bitte erstelle einen Entwurf für den Vertrag
        Schreib mir eine Zusammenfassung… nein, schreib den Test
        Bitte die Zertifikate aktualisieren und danach alles testen
        Heute will ich das Regal bauen
        Wir planen, den Server abzuschalten
    """,
    "es": """
        ¿Cómo puedo desplegar el servidor?
        ¿Cómo instalo la nueva versión?
        cómo configurar el proxy
        ¿Cuáles son los pasos para restaurar la copia?
        ¿Qué hay que hacer antes de publicar?
        Tengo que escribir el informe
        Vamos a migrar la base de datos
        Quiero hornear pan de centeno
        Despliega el sitio en pruebas
        Por favor, actualiza las dependencias
        Ayúdame con la declaración
    """,
    "ja": """
        どうやってサーバーを再起動しますか
        バックアップを復元する手順を教えてください
        リリースするにはどうすればいいですか
        パンの作り方
        デプロイの方法は?
        新しいバージョンをインストールしてください
        報告書を書きたいです
        データベースを移行しましょう
        テストを作るつもりです
        レポートの作成を手伝って
    """,
    "zh": """
        怎么部署服务器?
        如何恢复备份
        发布的步骤是什么?
        发布之前需要做什么?
        我们要迁移数据库
        我打算写季度报告
        请更新依赖
        帮我写一个测试
        部署网站到测试环境
        把数据库备份一下
    """,
}
NEAR_MISSES = {
    "en": """
        When did we deploy the staging server?
        What did we decide about the release?
        How do I feel about the new office?
        How do you know Ann?
        How did we fix the login bug?
        How does the cache work?
        Release date of version 2
        Build status
        Test results from Friday
        Update on the migration
        Deploy history
        I want to know who owns the parser
        Do I need to renew the certificate?
        I need to remember where Ann lives
        Let's see what we said about tides
        Can you tell me where Ann lives?
        Who wanted to deploy on Friday?
        Which tools do we want to use?
        Where does Ann live?
        Ann fixed the crane
        Why do we need to rotate the keys?
        What does this have to do with Bob?
        They were going to move the office
        The make of the car
        Make and model of my car
        What is `deploy the site` for
        thanks, that is all
    """,
    "de": """
        Wann haben wir den Server umgezogen?
        Wie heiße ich?
        Wie fühle ich mich heute?
        Wie war der Kuchen?
        Wie alt bin ich?
        Ich will wissen, wer den Vertrag geschrieben hat
        Wer wollte die Datenbank umziehen?
        Warum müssen wir die Schlüssel tauschen?
        Der Bericht über die Sicherung
        Was hat Anna über den Hafen gesagt?
    """,
    "es": """
        ¿Cuándo desplegamos el servidor?
        ¿Cómo se llama la hermana de Ana?
        ¿Cómo estoy hoy?
        ¿Cómo fue la reunión?
        Quiero saber quién escribió el informe
        ¿Por qué tenemos que migrar la base de datos?
        ¿Dónde vive Ana?
        El informe de la copia
    """,
    "ja": """
        いつサーバーを再起動しましたか
        アンの住所を教えてください
        どうやって知り合ったの?
        誰がレポートを書きましたか
        どうしてデータベースを移行したいのですか
        アンについて知りたい
        昨日の会議の結果
    """,
    "zh": """
        什么时候部署的?
        你们是怎么认识的?
        今天怎么样?
        部署历史
        我想知道谁写了报告
        为什么要迁移数据库?
        安住在哪里?
        测试结果
    """,
}


def said(lines: dict[str, str]) -> list[str]:
    return [line.strip() for text in lines.values() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("query", said(TASKS))
def test_a_query_that_starts_or_plans_a_task_is_seen(query: str) -> None:
    assert starts_task(query)


@pytest.mark.parametrize("query", said(NEAR_MISSES))
def test_a_query_that_only_speaks_of_one_is_not(query: str) -> None:
    assert not starts_task(query)


def test_a_task_is_seen_behind_a_greeting_and_before_what_belongs_to_it() -> None:
    assert starts_task("Hi there. Thanks for yesterday.\nPlease install the new encoder. Where is its model kept?")


def test_what_stands_in_code_and_quotations_starts_nothing() -> None:
    assert not starts_task("```\ndeploy the site\n```")
    assert not starts_task("> deploy the site\nwho said that")


def test_a_very_long_query_is_read_at_its_beginning_only() -> None:
    assert not starts_task("the tide is high. " * 60 + "Deploy the site to staging.")
    assert starts_task("Deploy the site to staging. " + "the tide is high. " * 1000)
