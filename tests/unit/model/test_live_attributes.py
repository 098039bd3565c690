"""Memories with attributes in, those that still hold out."""

from kits.vault import a_memory
from pellucid.model.memory import live_attributes


def test_a_retired_attribute_is_gone_however_its_name_is_spelled() -> None:
    both = {"Cache TTL": "300 s", "shards": "4"}
    memory = a_memory(1, "x", entity_ref="The Relay", structured_attributes=both)
    assert live_attributes(memory) == {"the-relay::cache-ttl": "300 s", "the-relay::shards": "4"}
    retired = memory.model_copy(update={"retired_attributes": {"cache-ttl": "mem_" + "1" * 32}})
    assert live_attributes(retired) == {"the-relay::shards": "4"}
    assert live_attributes(memory.model_copy(update={"entity_ref": None})) == {}
