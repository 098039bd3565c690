"""A home, a model cache and a transcript in, one import done or cut short out: the process that the tests kill."""

import sys
from pathlib import Path

from pellucid.app import open_app
from pellucid.operations.session import importing, intake
from pellucid.settings import load


def main(home: str, models: str, transcript: str, mode: importing.Mode) -> None:
    intake.TURNS_A_COMMIT = 8  # many commits in one import, so that kills fall between and inside them
    app = open_app(load(home=home), models=Path(models))
    app.unit_of_work.take_over_edits()
    list(app.embedder.encode(["ready"]))  # loaded before the clock runs: texts are encoded before they are acknowledged
    print("open", flush=True)
    request = importing.ImportInput(paths=(Path(transcript),), mode=mode, namespace="local/default")
    importing.import_transcripts(app, request)
    print("done", flush=True)
    app.close()


if __name__ == "__main__":
    main(*sys.argv[1:])  # type: ignore[arg-type]
