"""Settings and values by name in, the settings with these values out: what one run of the lab may try."""

from collections.abc import Mapping
from typing import cast

from pydantic import ValidationError
from pydantic.alias_generators import to_snake

from pellucid.settings import Settings
from pellucid.settings.files import Table, merged, wrong_setting


def changed(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """The settings with some values changed, each named with its section: `recall.legWeights.vector`.

    Raises:
        InputError: a name is unknown, or a value is out of range.
    """
    table = settings.model_dump(exclude_unset=True)
    for name, value in changes.items():
        nested = value
        for part in reversed(name.split(".")):
            nested = {to_snake(part): nested}
        table = merged(table, cast("Table", nested))
    try:
        return Settings(**table).noting(settings.notes, {**settings.sources, **dict.fromkeys(changes, "this run")})
    except ValidationError as error:
        raise wrong_setting(error) from error
