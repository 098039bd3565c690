"""An action in, the state of the embedding model or of the reranking model out."""

from collections.abc import Callable
from typing import Annotated, Literal

from pellucid.encoders.minilm.provision import MODEL_NAME, provision, status
from pellucid.encoders.rerank.files import DEFAULT_MODEL, MissingModelError, locate, pull
from pellucid.model.wire import Wire
from pellucid.operations.operation import Argument, Call, Flag, Operation, Surfaces, Text
from pellucid.settings import Settings


class ModelsInput(Wire):
    """The action: `status` only looks, `pull` fetches missing files; and the model."""

    action: Annotated[Literal["status", "pull"], Argument("status, or pull to fetch what is missing.")] = "status"
    reranker: Annotated[bool, Flag("The cross-encoder of `rerank.model`, not the embedding model.")] = False


class ModelsOutput(Wire):
    """The folder of a model, and the state of each of its files."""

    model: str
    folder: str
    ready: bool
    files: dict[str, str]
    graphs: tuple[str, ...]


def show_model(call: Call, request: ModelsInput) -> ModelsOutput:
    """Show the files of the embedding model (with `reranker`, of the reranking model) in the cache and their states.
    The action `pull` first fetches files that are missing (or, of the embedding model, damaged), and reports lines
    about that; EncoderError if it cannot, or if the setting `rerank.model` cannot name a model."""
    if request.reranker:
        return _show_reranker(call.settings, request, call.report)
    folder = call.settings.home / "models" / MODEL_NAME
    if request.action == "pull":
        provision(folder, call.report)
    found = status(folder)
    return ModelsOutput(
        model=MODEL_NAME,
        folder=str(folder),
        ready=found.ready,
        graphs=found.graphs,
        files={**found.files, **dict.fromkeys(found.changed, "changed since it was built: built anew at the next use")},
    )


def _show_reranker(settings: Settings, request: ModelsInput, report: Callable[[str], None]) -> ModelsOutput:
    """Show the reranking model's files in the cache, after downloading missing files if the action is `pull` (`report`
    gets lines about that). If a file is missing, the model is shown as not ready, without files. EncoderError if a
    download fails, or the setting `rerank.model` cannot name a model."""
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
    show_model,
    "read",
    Surfaces("models"),
    text=Text("everyday.models_text"),
)
