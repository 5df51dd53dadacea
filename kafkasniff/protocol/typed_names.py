"""Names whose kind is told by a type beside them: coordinator keys and the resources of configs."""

from typing import Any

from kafkasniff.protocol.api_keys import ALTER_CONFIGS, DESCRIBE_CONFIGS, FIND_COORDINATOR, INCREMENTAL_ALTER_CONFIGS
from kafkasniff.protocol.fields import Kind

CONFIG_RESOURCES = {
    (DESCRIBE_CONFIGS, "request"): "resources",
    (DESCRIBE_CONFIGS, "response"): "results",
    (ALTER_CONFIGS, "request"): "resources",
    (ALTER_CONFIGS, "response"): "responses",
    (INCREMENTAL_ALTER_CONFIGS, "request"): "resources",
    (INCREMENTAL_ALTER_CONFIGS, "response"): "responses",
}
"""The array of resources, by API and side."""

COORDINATOR_TYPES = {0: "groupId", 1: "transactionalId"}
"""FindCoordinatorRequest.CoordinatorType."""

RESOURCE_TYPES = {2: "topicName", 32: "groupId"}
"""ConfigResource.Type."""

TYPED_FIELDS = frozenset({"coordinatorKeys", "key", "keyType", "resourceName", "resourceType"})
"""Names of the fields that these are told by, within the arrays of `CONFIG_RESOURCES`."""


def typed_names(api_key: int, kind: Kind, value: dict[str, Any]) -> dict[str, list[Any]]:
    """Give the names in a body by entity type."""
    found: dict[str, list[Any]] = {}
    if api_key == FIND_COORDINATOR and kind == "request":
        # Before version 1 every key is a group.
        entity = COORDINATOR_TYPES.get(value.get("keyType", 0))
        keys = value["coordinatorKeys"] if "coordinatorKeys" in value else [value["key"]] if "key" in value else []
        if entity:
            found[entity] = keys
    elif (api_key, kind) in CONFIG_RESOURCES:
        for resource in value.get(CONFIG_RESOURCES[api_key, kind], ()):
            if "resourceName" in resource and (entity := RESOURCE_TYPES.get(resource["resourceType"])):
                found.setdefault(entity, []).append(resource["resourceName"])
    return found
