"""Words in, an episode on file out: its topic, its turns or the memories that came of it, and what it made."""

from collections.abc import Sequence
from typing import Any

from kits.vault import HERE, NOON, a_memory
from pellucid.app import App
from pellucid.memory.changes import memory_write
from pellucid.model.memory import Episode, Memory, Moment
from pellucid.store.records import FileWrite
from pellucid.vault.markdown import episode_path, render_episode


def an_episode(number: int, topic: str, **given: Any) -> Episode:
    """An episode with every required field; `number` makes its id and its session."""
    known = {
        "id": f"ep_{number:032x}",
        "namespace": HERE,
        "created": NOON,
        "updated": NOON,
        "session_id": f"tale-{number}",
        "topic": topic,
        "turns": "1-9",
    }
    return Episode(**{**known, **given})


def file_episode(app: App, episode: Episode, memories: Sequence[Memory] = (), turns: Sequence[str] = ()) -> str:
    """Write an episode, the memories that came of it and its turns; the path of its file."""
    number = int(episode.id[3:], 16) * 1000
    moments = [
        Moment(id=f"mem_{number + at:032x}", turn=at, role="user", content=text) for at, text in enumerate(turns, 1)
    ]
    path = episode_path(episode)
    writes = [memory_write(memory) for memory in memories]
    app.unit_of_work.commit("import", [*writes, FileWrite(path, render_episode(episode, moments))])
    return path


def tell(
    app: App, number: int, topic: str, *texts: str, states: Sequence[dict[str, Any]] = (), **given: Any
) -> Episode:
    """File an episode and the memories that came of it, each in its state; its path and they are of one session."""
    namespace = given.get("namespace", HERE)
    memories = [
        a_memory(
            number * 1000 + at,
            text,
            namespace=namespace,
            session_id=f"tale-{number}",
            episode_id=f"ep_{number:032x}",
            evidence=(f"tale-{number}:{at}-{at}",),
            **(states[at - 1] if states else {}),
        )
        for at, text in enumerate(texts, start=1)
    ]
    episode = an_episode(number, topic, members=tuple(memory.id for memory in memories), **given)
    file_episode(app, episode, memories)
    return episode
