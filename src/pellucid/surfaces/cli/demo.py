"""The example sessions in, the main job shown from end to end out: what `make demo` runs."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from pellucid.app import App, open_app
from pellucid.errors import NotFoundError
from pellucid.operations.browsing import ListInput, list_memories
from pellucid.operations.recall.recalling import RecallInput, recall, xray_by_id
from pellucid.operations.session.importing import ImportInput, import_transcripts
from pellucid.settings import Settings
from pellucid.surfaces.present import everyday as present
from pellucid.surfaces.present import imports as present_import
from pellucid.surfaces.present.recall import recall as present_recall
from pellucid.xray.render.formats import render

NAMESPACE = "local/demo"
QUESTION = "When does the replica lag alarm fire, and how often do we cut releases?"
BUDGET = 2_000


def run_demo(settings: Settings, write: Callable[[str], None], note: Callable[[str], None]) -> None:
    """Import the examples into a temporary home, list the memories, ask a question and explain the answer.

    The temporary home has the given `settings`, and the models of their home. `write` prints the demo's output, `note`
    remarks such as that the model is being downloaded; `NotFoundError` if the working folder, which should be a clone
    of the repository, has no `examples/sessions`.
    """
    sessions = Path.cwd() / "examples" / "sessions"
    if not sessions.is_dir():
        raise NotFoundError("examples/sessions is not here", next_step="run `make demo` in a clone of the repository")
    with TemporaryDirectory(prefix="pellucid-demo-") as folder:
        demo_settings = settings.model_copy(update={"home": Path(folder), "namespace": NAMESPACE})
        app = open_app(demo_settings, models=settings.home / "models", report=note)
        try:
            _show(app, sessions, write)
        finally:
            app.close()


def _show(app: App, sessions: Path, write: Callable[[str], None]) -> None:
    """Run the demo's four steps in the home of `app`, and print each under a heading with `write`: import the files of
    the folder `sessions`, list the memories, ask the question, explain the answer.
    """
    write("── 1. Four sessions become a handful of memories ──\n$ pellucid import examples/sessions/*\n")
    outcome = import_transcripts(
        app, ImportInput(paths=tuple(sorted(sessions.iterdir())), mode="extract", namespace=NAMESPACE)
    )
    write(present_import.import_text(outcome))
    write("\n── 2. What was kept ──\n$ pellucid list\n")
    write(present.memory_list_text(list_memories(app, ListInput(namespace=NAMESPACE, limit=12))))
    write(f"\n── 3. A question, answered inside {BUDGET} characters ──")
    write(f'$ pellucid recall "{QUESTION}" --budget {BUDGET} --top-k 5\n')
    answer = recall(app, RecallInput(query=QUESTION, namespace=NAMESPACE, budget=BUDGET, top_k=5))
    write(present_recall.recall_text(answer))
    write(f"\n── 4. Why these, and why not the others ──\n$ pellucid xray --id {answer.recall_id}\n")
    write(render(xray_by_id(app, NAMESPACE, answer.recall_id), "text"))
