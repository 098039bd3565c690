"""A question and the overrides of one call in, the checked request of a recall out."""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic.alias_generators import to_camel, to_snake

from pellucid.app import App
from pellucid.capture.secrets.redact import redact
from pellucid.clock import ms_if_any
from pellucid.errors import InputError, field_name
from pellucid.model.memory import Category
from pellucid.model.wire import Instant
from pellucid.operations.expectations import expectation_in_words, short_json
from pellucid.operations.instants import AsKnownAt, AsOf, past_instants
from pellucid.operations.operation import Agent, Flag, Scopes, Session, Words
from pellucid.operations.safe_input import SafeInput
from pellucid.recall.legs.nominate import LEGS
from pellucid.recall.legs.review import review_paths
from pellucid.recall.pipeline import STAGES
from pellucid.recall.score.boost import BOOSTS
from pellucid.recall.state import Request
from pellucid.settings.sections import LegWeights, RecallSettings
from pellucid.store.index_port import Filters

BUDGET_AT_MOST = 2**53 - 1
"""The largest whole number that every JSON parser reads exactly."""
TOP_K_WITH_BUDGET = 100
"""The maximum number of memories if the caller gives a budget, and neither the caller nor the settings give `topK`."""


def _checked_budget(value: object) -> object:
    """Convert a budget, in characters, to an int from 1 to `BUDGET_AT_MOST`: from an int, a whole float or a text of
    digits; None stays None. InputError for anything else, also a number out of range."""
    budget = int(value) if isinstance(value, str) and re.fullmatch(r"\s*\+?[0-9]{1,20}\s*", value) else value
    budget = int(budget) if isinstance(budget, float) and budget.is_integer() else budget
    if value is None or (isinstance(budget, int) and not isinstance(budget, bool) and 0 < budget <= BUDGET_AT_MOST):
        return budget
    raise InputError(
        f"{field_name('budget')} expects a positive integer; got {short_json(value)}",
        code="invalid_budget",
        next_step=f"give characters, from 1 to {BUDGET_AT_MOST}, or leave it out",
    )


_PARTS_BY_TERM = {
    "expansion": "expand",
    "renewal": "renew",
    "mmrPenalty": "diversify",
    "reinforcementBoost": "reinforcement",
} | {leg.term: leg.name for leg in LEGS.values() if leg.term}
"""Removable parts by the name that a score gives their term, where it is another."""


def spell_parts(given: tuple[str, ...]) -> tuple[str, ...]:
    """Spell names of legs, stages and terms as `removable_parts` does: `rerankPassage` for `rerank_passage`, and the
    stage or leg for the name of its term, such as `expand` for `expansion`.

    Names that it does not know are unchanged.
    """
    names = {name: to_camel(name) for name in given}
    names = {name: _PARTS_BY_TERM.get(camel, camel) for name, camel in names.items()}
    return tuple(names[name] if names[name] in removable_parts() else name for name in given)


class RecallInput(SafeInput):
    """A question, with the filters and overridden settings of this one call."""

    RAW = SafeInput.RAW | {"also", "review"}

    query: Annotated[str, Words("The question, in words.")]
    namespace: str
    also: tuple[str, ...] = ()
    """Further namespaces to ask; the budget and `topK` are shared among all (see `recalling.recall`)."""
    budget: Annotated[
        int | None, BeforeValidator(_checked_budget), Flag("Characters of context for this call.", as_words=True)
    ] = None
    """Without `topK`, the budget is filled with up to 100 memories."""
    top_k: Annotated[int | None, Flag("Memories returned at most.")] = None
    tags: Annotated[tuple[str, ...], Flag("Only memories with this tag.")] = ()
    """A memory must have all of these tags."""
    categories: Annotated[tuple[Category, ...], Flag("Only this category, or one of these.")] = ()
    by_agent: Annotated[str | None, Flag("Only what this agent wrote.")] = None
    in_session: Annotated[str | None, Flag("Only what came of this session.")] = None
    not_in_session: Annotated[str | None, Flag("Nothing that came of this session.")] = None
    not_memories: Annotated[tuple[str, ...], Flag("Not this memory (mem_…).")] = ()
    since: Annotated[Instant | None, Flag("Only what was made from then on (UTC).")] = None
    until: Annotated[Instant | None, Flag("Only what was made before then (UTC).")] = None
    as_of: AsOf = None
    """Answer with memories that were valid at this past instant."""
    as_known_at: AsKnownAt = None
    """Answer with memories that had been written down by this instant."""
    review: Annotated[
        str | None,
        Flag("A diff or a list of files.", as_words=True),
    ] = None
    """Memories that name these files are nominated."""
    settings: Annotated[dict[str, Any], Flag("Recall settings for this call, by name.", "--set", beyond=True)] = Field(
        default_factory=dict
    )
    """Such as `maxIterations` or `legWeights.vector`."""
    without: Annotated[tuple[str, ...], AfterValidator(spell_parts), Flag("Leave out a leg, stage or term.")] = ()
    """Some of `removable_parts`."""
    scopes: Scopes = ()
    session_id: Session = None
    """The session that asks; `in_session` is the session to search in."""
    agent: Agent = None


def removable_parts() -> tuple[str, ...]:
    """Return the names, in camelCase, of the legs, stages and terms that a recall can leave out."""
    optional = (stage.name for stage in STAGES if stage.optional)
    return (*LEGS, "temporal", *optional, "diversify", "rerankPassage", *BOOSTS)


def check_removable(parts: Iterable[str], field: str = "without", code: str = "invalid_without") -> None:
    """Raise InputError, with this error `code` and naming the input's `field`, unless a recall can leave out each of
    these parts."""
    if unknown := set(parts) - set(removable_parts()):
        raise InputError(
            f"{field_name(field)} expects some of {', '.join(removable_parts())}; got {', '.join(sorted(unknown))}",
            code=code,
        )


def build_request(app: App, asked: RecallInput) -> Request:
    """Build the recall request of an input, with a new recall id and the settings as this call overrides them. With a
    budget of the call, and a `topK` neither of the call nor of the home's settings, `topK` is 100.

    InputError for a part that cannot be left out, a `since` that is not before `until`, an instant in the future, a
    setting that is not valid, or a `review` that is neither a diff nor a list of files; the query is checked later."""
    check_removable(asked.without)
    if asked.since and asked.until and asked.since >= asked.until:
        raise InputError(
            f"{field_name('since')} is not before {field_name('until')}, so nothing could answer",
            next_step="exchange them",
        )
    now = app.clock.now()
    past = past_instants(asked.as_of, asked.as_known_at, now)
    given = {"top_k_facts": asked.top_k, "char_budget": asked.budget}
    given = {name: value for name, value in given.items() if value is not None}
    chosen = frozenset({*given, *map(_setting_section, asked.settings), *map(_setting_path, asked.settings)})
    if "char_budget" in chosen and "top_k_facts" not in chosen | app.settings.recall.model_fields_set:
        given["top_k_facts"] = TOP_K_WITH_BUDGET
    return Request(
        asked.query,
        asked.namespace,
        app.clock.new_id("rec"),
        now,
        _override_settings(app.settings.recall, given, asked.settings),
        session_id=asked.session_id or None,
        agent=asked.agent or None,
        scopes=asked.scopes,
        without=frozenset(asked.without),
        filters=_filters(asked),
        review=tuple(redact(path).text for path in review_paths(asked.review or "")),
        chosen=chosen,
        as_of=past.at,
        as_known_at=past.known,
    )


def _filters(asked: RecallInput) -> Filters:
    """Convert the input's filters for the index: instants to epoch milliseconds, "" to None."""
    return Filters(
        tags=asked.tags,
        categories=tuple(asked.categories),
        agent=asked.by_agent or None,
        session_id=asked.in_session or None,
        since=ms_if_any(asked.since),
        until=ms_if_any(asked.until),
        not_session=asked.not_in_session or None,
        not_ids=asked.not_memories,
    )


def _override_settings(
    settings: RecallSettings, by_field: Mapping[str, Any], by_path: Mapping[str, Any]
) -> RecallSettings:
    """Return the settings with this call's overrides: `by_path` maps paths such as `legWeights.vector` to values;
    `by_field` maps field names to values and wins over it. InputError for an unknown name or a value that is not
    valid."""
    if not by_field and not by_path:
        return settings
    table = settings.model_dump()
    for name, value in by_path.items():
        _, _, rest = name.partition(".")
        weight = _setting_section(name) == "leg_weights" and to_snake(rest) in LegWeights.model_fields
        if _setting_section(name) not in RecallSettings.model_fields or (rest and not weight):
            known = [to_camel(each) for each in RecallSettings.model_fields]
            if rest:
                known = [f"legWeights.{to_camel(each)}" for each in LegWeights.model_fields]
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
            raise InputError(
                f"no recall setting is called {name!r}",
                code="invalid_setting",
                next_step=f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}",
            )
        if not rest:
            table[_setting_section(name)] = value
        elif isinstance(
            table["leg_weights"], dict
        ):  # else `legWeights` was set to a wrong value, which is refused below
            table["leg_weights"] |= {to_snake(rest): value}
    try:
        return RecallSettings.model_validate({**table, **by_field})
    except ValidationError as error:
        raise _settings_error(error) from error


def _setting_path(name: str) -> str:
    """Return a setting's dotted name with each part in snake_case: `leg_weights.temporal`."""
    return ".".join(map(to_snake, name.split(".")))


def _setting_section(name: str) -> str:
    """Return the first part of a setting's dotted name in snake_case: `leg_weights`."""
    return to_snake(name.partition(".")[0])


def _settings_error(error: ValidationError) -> InputError:
    """Turn the first validation error of recall settings into an input error that names the setting, or the field of
    `RecallInput` that sets it."""
    first = error.errors()[0]
    path = [str(part) for part in first["loc"]]
    field = {"top_k_facts": "top_k", "char_budget": "budget"}.get(to_snake(path[0]))
    name = field_name(field) if field else f"{field_name('settings')} {'.'.join(map(to_camel, path))}"
    return InputError(f"{name} expects {expectation_in_words(RecallSettings, first)}; got {short_json(first['input'])}")
