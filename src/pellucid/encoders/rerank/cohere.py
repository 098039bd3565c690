"""A query and texts in, the scores of Cohere's rerank API out; also of any server that speaks the same `/v2/rerank`.

Sent to `rerank.baseUrl` alone: the model's name, the query, the texts, and the key in its header. The API is asked
once: a recall has a deadline, so there is no retry.
"""

import json
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from pellucid.encoders.http_post import HttpResponse, NoAnswerError, can_be_key, json_headers, post
from pellucid.encoders.rerank.reranker import finite, well_formed
from pellucid.errors import EncoderError
from pellucid.settings.sections import RerankSettings

DEFAULT_MODEL = "rerank-v3.5"
_OWN_HOST = "api.cohere.com"
_PATH = "/v2/rerank"


class _Result(BaseModel):
    index: int = Field(strict=True, ge=0)
    relevance_score: Annotated[float, Field(strict=True, allow_inf_nan=False)]


class _Ranking(BaseModel):
    results: list[_Result]


class CohereReranker:
    """Cohere's rerank API as a `Reranker`: plain HTTP, no SDK. Safe to share."""

    def __init__(self, settings: RerankSettings) -> None:
        self._settings = settings
        self._model = settings.model or DEFAULT_MODEL

    @property
    def name(self) -> str:
        """Return `cohere:` and the model, such as `cohere:rerank-v3.5`."""
        return f"cohere:{self._model}"

    @property
    def is_remote(self) -> bool:
        """Return True: the query and the texts are sent to `rerank.baseUrl`."""
        return True

    def score(self, query: str, texts: Sequence[str], deadline_s: float) -> list[float]:
        """Return relevance from 0 to 1 as the API gives it, in the order of `texts`; empty for no texts. The API gets
        the query and the texts, in one request that is not repeated.

        EncoderError if the key cannot be one or, for Cohere's own host, is missing; if the API gives no whole answer
        within `deadline_s` seconds; or if its answer is an error, or has not one finite score for each text.
        """
        if not texts:
            return []
        url, headers = self._settings.base_url.rstrip("/") + _PATH, self._headers()
        question = {
            "model": self._model,
            "query": well_formed(query),
            "documents": [well_formed(text) for text in texts],
            "top_n": len(texts),
        }
        try:
            answer = post(url, headers, json.dumps(question, ensure_ascii=False).encode(), deadline_s)
        except NoAnswerError as error:
            raise self._error(str(error), "check rerank.baseUrl and the network, or raise rerank.timeoutS") from error
        return self._scores(answer, len(texts))

    def _headers(self) -> dict[str, str]:
        """Return the headers of a request; EncoderError if the key cannot be one, or if it is missing and the host is
        Cohere's own, `api.cohere.com`.
        """
        key = self._settings.api_key.get_secret_value().strip()
        if not can_be_key(key):
            raise self._error("rerank.apiKey holds signs no key can have", "copy it anew")
        if not key and self._host() == _OWN_HOST:
            raise self._error("rerank.apiKey is not set", "set PELLUCID_RERANK__API_KEY")
        return json_headers(key)

    def _scores(self, answer: HttpResponse, count: int) -> list[float]:
        """Return the scores in an answer, in the order of the `count` texts. EncoderError if its status is no 2xx, if
        it is not the JSON of a ranking, or if it has not just one score for each text.
        """
        if not 200 <= answer.status < 300:
            # what an endpoint says of an error could repeat the key or a text: only its status is passed on
            raise self._error(f"the endpoint answered {answer.status}", _next_step(answer.status))
        try:
            results = _Ranking.model_validate_json(answer.body).results
        except ValidationError:
            raise self._error("the answer is not the JSON of /v2/rerank", "check rerank.baseUrl") from None
        score_of = {result.index: result.relevance_score for result in results}
        if len(results) != count or set(score_of) != set(range(count)):
            raise self._error(
                f"the answer holds {len(results)} scores ({len(score_of)} different) for {count} texts",
                "check that rerank.baseUrl speaks /v2/rerank",
            )
        return finite([score_of[index] for index in range(count)], self.name)

    def _error(self, words: str, step: str) -> EncoderError:
        """Return an error that names this reranker and its host; `step` is what to do about it."""
        return EncoderError(f"{self.name} at {self._host() or 'rerank.baseUrl'}: {words}", next_step=step)

    def _host(self) -> str:
        """Return the host of `rerank.baseUrl` alone, as the address can also contain a password; empty if it is not an
        address.
        """
        try:
            return urlsplit(self._settings.base_url).hostname or ""
        except ValueError:
            return ""


def _next_step(status: int) -> str:
    """Return what to do about an HTTP status that is not a success."""
    steps = {
        401: "check rerank.apiKey (PELLUCID_RERANK__API_KEY)",
        403: "check what rerank.apiKey may do, and rerank.model",
        404: "check rerank.baseUrl and rerank.model",
        429: "wait, or raise the quota of the key",
    }
    if status in steps:
        return steps[status]
    if status >= 400:
        return "try again later" if status >= 500 else "check rerank.model"
    return "set rerank.baseUrl to where the endpoint is: no redirect is followed"
