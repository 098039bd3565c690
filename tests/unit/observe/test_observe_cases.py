"""Sentences in, their category out; each beside a near miss of which nothing is kept."""

import pytest

from kits.extraction import accepted_of

ENGLISH = [
    ("decision", "We'll cut releases every Tuesday.", "Do we cut releases every Tuesday?"),
    ("decision", "Let's go with Postgres for the event store.", "Maybe we could go with Postgres for the event store."),
    ("decision", "We decided against a second Redis instance.", "Have we decided on a second Redis instance?"),
    ("decision", "Decision: the public API is frozen on 20 March.", "Any decision on the public API?"),
    ("decision", "From now on, all migrations go through the platform team.", "Now on to the migrations."),
    ("decision", "We agreed to retire the nightly batch by June.", "Agreed, sounds good."),
    ("decision", "We'll switch to uv instead of pip.", "Should we switch to uv instead of pip?"),
    ("preference", "I prefer small pull requests, one concern each.", "Would you prefer small pull requests?"),
    ("preference", "I love hiking in the Dolomites.", "I love that!"),
    ("preference", "I hate meetings before ten.", "I like the idea."),
    ("preference", "My favorite editor is Helix.", "What's your favorite editor?"),
    ("preference", "I'd rather read a design note than a slide deck.", "I'd rather not say."),
    ("preference", "I'm a big fan of board games.", "Thanks, big fan!"),
    ("principle", "The caching layer should be per-tenant, not global.", "Should the caching layer be per-tenant?"),
    ("principle", "As a rule, a cache failure must not become a user-visible error.", "As usual, the cache failed."),
    ("principle", "Never log request bodies, because they hold customer data.", "Never mind the request bodies."),
    ("principle", "Retries should live in the client, not in the queue.", "Perhaps retries should live in the client?"),
    ("rule", "Always run the linter before you push.", "Always fun to see the linter run."),
    ("rule", "Never renumber an issued invoice.", "Never again!"),
    ("rule", "Reports must never read from the cache.", "That must have been hard."),
    ("rule", "Please always write commit messages in the imperative.", "Please write the commit message."),
    ("rule", "Nobody deploys during the freeze.", "Nobody knows yet."),
    ("rule", "Direct pushes to main are forbidden.", "Are direct pushes to main forbidden?"),
    ("commitment", "I'll send the capacity numbers to Ines by Friday.", "I'll take a look."),
    ("commitment", "I promise to review the migration plan.", "Did you promise to review the plan?"),
    ("commitment", "We will publish the report by Monday.", "We'll see."),
    ("fact", "The Postgres replica lag alarm fires when GC pauses cross 200ms.", "The alarm is red again."),
    ("fact", "Cache settings live in config/cache.toml.", "Let me open config/cache.toml."),
    ("fact", "The nightly export takes 40 minutes.", "The export is still running."),
    ("fact", "I moved to Lisbon in March.", "Did you move to Lisbon in March?"),
    ("fact", "I started pottery classes last week.", "How do I start pottery classes?"),
    ("fact", "I have two cats.", "I have a question."),
    ("fact", "I'm allergic to coffee.", "Coffee?"),
    ("fact", "Remember that the staging cluster is wiped every Sunday.", "Remember me?"),
    ("relationship", "My sister Ana is a nurse.", "How is your sister?"),
    ("relationship", "Ana is my sister.", "Is Ana your sister?"),
    ("relationship", "Tomás reports to Farid.", "Who reports to Farid?"),
    ("relationship", "The quotes service calls the pricing service over gRPC.", "Let me call the pricing service."),
    ("relationship", "Henrike handles access requests.", "Who handles access requests?"),
    ("entity", "Beacon is our dashboard for probes.", "Beacon is great."),
    ("entity", "We have a greyhound called Bolt.", "He called back."),
    ("skill", "I know Rust.", "I know that."),
    ("skill", "I play the violin.", "I play with it."),
    ("skill", "I speak Portuguese and some German.", "I know right!"),
    ("correction", "Actually the partner feed runs every 15 minutes, not hourly.", "Actually, is the feed hourly?"),
    ("correction", "No, it's the staging host instead of production.", "No, thanks."),
    ("correction", "The cluster has three nodes, not five as the wiki says.", "Does it have five nodes?"),
    ("reasoning_trace", "The root cause was a pool that never released idle sockets.", "What was the root cause?"),
    ("procedure", "To mute a probe:\n1. Open it in Beacon\n2. Set quiet hours", "Options:\n1. Open it\n2. Leave it"),
    (
        "procedure",
        "To deploy the docs, first build the site, then upload the folder, and finally purge the CDN.",
        "First things first.",
    ),
]

OTHERS = [
    ("decision", "Wir haben beschlossen, jeden Dienstag zu veröffentlichen.", "Wann veröffentlichen wir?"),
    ("rule", "Niemals direkt auf main pushen.", "Vielleicht pushen wir auf main."),
    ("preference", "Ich bevorzuge kleine Pull Requests.", "Danke, super!"),
    ("fact", "Ich bin im März nach Lissabon gezogen.", "Bist du nach Lissabon gezogen?"),
    ("commitment", "Ich schicke dir die Zahlen bis Freitag.", "Ich schaue mir die Zahlen an."),
    ("decision", "Hemos decidido publicar cada martes.", "¿Cuándo publicamos?"),
    ("preference", "Prefiero reuniones por la tarde.", "Muchas gracias."),
    ("fact", "Me mudé a Lisboa en marzo.", "¿Te mudaste a Lisboa?"),
    ("rule", "Nunca reinicies el servidor los lunes.", "Quizás reiniciamos el servidor."),
    ("decision", "毎週火曜日にリリースすることにしました。", "いつリリースしますか？"),
    ("preference", "猫が大好きです。", "ありがとうございます。"),
    ("fact", "三月にリスボンに引っ越しました。", "リスボンに引っ越したかもしれません。"),
    ("decision", "我们决定每周二发布版本。", "什么时候发布？"),
    ("fact", "我三月搬到了里斯本。", "谢谢你。"),
    ("preference", "我喜欢猫。", "你喜欢猫吗？"),
    ("rule", "周一早上禁止重启网关。", "测试又失败了。"),
]


@pytest.mark.parametrize(("category", "sentence"), [(row[0], row[1]) for row in ENGLISH + OTHERS])
def test_a_durable_sentence_is_kept_under_its_category(category: str, sentence: str) -> None:
    assert [kept.fact.category for kept in accepted_of(sentence)] == [category]


@pytest.mark.parametrize("sentence", [row[2] for row in ENGLISH + OTHERS])
def test_nothing_is_kept_of_a_near_miss(sentence: str) -> None:
    assert [kept.fact.content for kept in accepted_of(sentence)] == []


NOISE = [
    "Thanks, that's great!",
    "👍 go for it.",
    "Hey! How are you?",
    "Okay, sounds good to me.",
    "Good morning everyone!",
    "Running the tests now.",
    "The test fails again.",
    'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: always use 3 retries',
    "```\nWe decided to use Redis.\n```",
    "2026-04-23 15:28:37,441 DEBUG cache.evict we decided to evict every Tuesday",
    "diff --git a/x b/x\n-    always = 3\n+    always = 4",
    "https://example.com/we-decided-to-use-redis",
    "It might rain tomorrow, maybe.",
    "You should always rest, you deserve it!",
    "Wow, that must be amazing for you!",
    "lovely",
    "...",
    "",
]


@pytest.mark.parametrize("content", NOISE)
def test_chatter_code_logs_and_passing_states_leave_nothing(content: str) -> None:
    assert [kept.fact.content for kept in accepted_of(content)] == []


ASSISTANTS = [
    "I'll run the tests and fix the failing one.",
    "I prefer to keep the serializer separate.",
    "The cache uses 300 seconds for every tenant.",
    "I added a timeout of 20 ms to every read.",
    "Here is what I found:\n1. The pool leaks\n2. The timeout is too low",
    "Always glad to help!",
]


@pytest.mark.parametrize("content", ASSISTANTS)
def test_an_unnamed_assistant_talking_of_its_work_leaves_nothing(content: str) -> None:
    assert [kept.fact.content for kept in accepted_of(content, role="assistant")] == []


def test_what_an_assistant_records_as_decided_is_kept_with_less_confidence() -> None:
    (kept,) = accepted_of("We decided to keep invoices in one region.", role="assistant")
    assert (kept.fact.category, kept.fact.confidence) == ("decision", 0.85)


@pytest.mark.parametrize("role", ["tool", "system"])
def test_tool_output_and_system_text_leave_nothing(role: str) -> None:
    assert accepted_of("We decided to cut releases every Tuesday.", role=role) == []
