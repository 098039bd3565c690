"""A wish in, the state of the embedding model out."""

from collections.abc import Callable
from typing import Annotated, Literal

from pellucid.encoders.minilm.provision import MODEL_NAME, provision, status
from pellucid.encoders.rerank.files import DEFAULT_MODEL, MissingModelError, locate, pull
from pellucid.model.wire import Wire
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces
from pellucid.settings import Settings


class ModelsInput(Wire):
    """`status` looks, `pull` fetches what is missing."""

    action: Annotated[Literal["status", "pull"], Argument("status, or pull to fetch what is missing.")] = "status"
    reranker: Annotated[bool, Flag("The cross-encoder of `rerank.model`, not the embedding model.")] = False


class ModelsOutput(Wire):
    """Where the model is kept, and whether each file is the one expected."""

    model: str
    folder: str
    ready: bool
    files: dict[str, str]
    graphs: tuple[str, ...]


def models(settings: Settings, request: ModelsInput, report: Callable[[str], None]) -> ModelsOutput:
    """Show which files of the embedding model are in the cache, or with `reranker` of the reranking model; the action
    `pull` fetches what is missing first."""
    if request.reranker:
        return _reranker(settings, request, report)
    folder = settings.home / "models" / MODEL_NAME
    if request.action == "pull":
        provision(folder, report)
    found = status(folder)
    return ModelsOutput(
        model=MODEL_NAME,
        folder=str(folder),
        ready=found.ready,
        graphs=found.graphs,
        files={**found.files, **dict.fromkeys(found.changed, "changed since it was built: built anew at the next use")},
    )


def _reranker(settings: Settings, request: ModelsInput, report: Callable[[str], None]) -> ModelsOutput:
    """Show the reranking model's files, after fetching them for `pull`; if any is missing, it is not ready and no file
    is shown."""
    cache, model = settings.home / "models", settings.rerank.model or DEFAULT_MODEL
    if request.action == "pull":
        pull(model, cache, report)
    try:
        found = locate(model, cache)
    except MissingModelError:
        return ModelsOutput(model=model, folder=str(cache), ready=False, files={}, graphs=())
    files = {path.name: "ok" for path in (found.graph, found.tokenizer)}
    return ModelsOutput(
        model=model, folder=str(found.graph.parent), ready=True, files=files, graphs=(found.graph.name,)
    )


MODELS = Operation(
    "home.models",
    "Show or fetch the embedding model, or a reranker's.",
    ModelsInput,
    ModelsOutput,
    lambda call, asked: models(call.settings, asked, call.report),
    "read",
    Surfaces("models"),
)
