"""Settings and new values by name in, the settings with these values out: the changes that a run of the lab can try."""

from collections.abc import Mapping
from typing import cast

from pydantic import ValidationError
from pydantic.alias_generators import to_snake

from pellucid.settings import Settings
from pellucid.settings.files import Table, merged, wrong_setting


def changed(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return new settings in which the settings in `changes`, by full name such as `recall.topKFacts`, have new values.

    Their source becomes "this run"; a table is merged into the one that is set. The namespace of a project
    (`in_project`) stays, and still counts as not given, unless it is changed. Raises InputError if a setting is unknown
    or its value is wrong.
    """
    table = settings.model_dump(exclude_unset=True)
    for name, value in changes.items():
        nested = value
        for part in reversed(name.split(".")):
            nested = {to_snake(part): nested}
        table = merged(table, cast("Table", nested))
    try:
        new_settings = Settings(**table)
    except ValidationError as error:
        raise wrong_setting(error) from error
    result = new_settings if new_settings.namespace_is_given else new_settings.in_project(settings.namespace)
    return result.noting(settings.notes, {**settings.sources, **dict.fromkeys(changes, "this run")})
