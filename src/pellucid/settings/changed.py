"""Settings and values by name in, the settings with these values out: what one run of the lab may try."""

from collections.abc import Mapping
from typing import cast

from pydantic import ValidationError
from pydantic.alias_generators import to_snake

from pellucid.settings import Settings
from pellucid.settings.files import Table, merged, wrong_setting


def changed(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return new settings with values changed by full name, such as `recall.topKFacts`.

    `sources` ascribe these to "this run". Raises InputError if a setting is unknown or its value is wrong. The
    namespace of a project (`in_project`) stays, and still counts as not given, unless it is changed.
    """
    table = settings.model_dump(exclude_unset=True)
    for name, value in changes.items():
        nested = value
        for part in reversed(name.split(".")):
            nested = {to_snake(part): nested}
        table = merged(table, cast("Table", nested))
    try:
        found = Settings(**table)
    except ValidationError as error:
        raise wrong_setting(error) from error
    kept = found if found.namespace_is_given else found.in_project(settings.namespace)
    return kept.noting(settings.notes, {**settings.sources, **dict.fromkeys(changes, "this run")})
