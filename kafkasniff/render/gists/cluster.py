"""The gist of calls about brokers, topics, configuration and login."""

from collections.abc import Callable

from kafkasniff.calls.call import Call
from kafkasniff.render.gists.words import MOST_NAMES, Body, name_text, names_text, then, topic_text
from kafkasniff.render.text import ELLIPSIS, count_text, escape, show

_COORDINATOR_KEYS = {0: "group", 1: "transaction", 2: "share"}
"""FindCoordinatorRequest.CoordinatorType."""

_CONFIG_RESOURCES = {2: "topic", 4: "broker", 8: "broker logger", 16: "client metrics", 32: "group"}
"""ConfigResource.Type."""


def metadata(call: Call, request: Body, response: Body) -> str:
    """Name the topics asked for, and count brokers and topics of the answer."""
    topics = request.get("topics")
    if topics:
        asked = names_text(topic.get("name") or topic_text(call, topic) for topic in topics)
    else:
        # An empty list means all topics in version 0, no topics later (MetadataRequest.java); null: all topics.
        asked = "all topics" if topics is None or call.api_version == 0 else "no topics"
    if not request:
        asked = ""
    if not response:
        return asked
    counts = [count_text(len(response["brokers"]), "broker")]
    if response["topics"]:
        counts.append(count_text(len(response["topics"]), "topic"))
    return then(asked, ", ".join(counts))


def find_coordinator(call: Call, request: Body, response: Body) -> str:
    """Name what a coordinator is wanted for, and the broker that is it."""
    keys = request.get("coordinatorKeys") or [request[name] for name in ("key",) if name in request]
    kind = _COORDINATOR_KEYS.get(request.get("keyType", 0), "")
    asked = f"{kind} {names_text(keys)}" if keys else ""
    nodes = response.get("coordinators") or ([response] if "nodeId" in response else [])
    return then(
        asked,
        ", ".join(
            f"broker {node['nodeId']} at {name_text(node['host'])}:{node['port']}"
            for node in nodes[:MOST_NAMES]
            if node["nodeId"] >= 0
        ),
    )


def api_versions(call: Call, request: Body, response: Body) -> str:
    """Name the client software (KIP-511), and count the APIs of the answer."""
    software = request.get("clientSoftwareName")
    asked = f"{name_text(software)} {name_text(request['clientSoftwareVersion'])}" if software else ""
    return then(asked, count_text(len(response["apiKeys"]), "API") if response.get("apiKeys") else "")


def sasl_handshake(call: Call, request: Body, response: Body) -> str:
    """Name the mechanism, and where it is not offered, those that are."""
    offered = response.get("mechanisms", [])
    asked = name_text(request.get("mechanism", ""))
    return asked if request.get("mechanism") in offered else then(asked, names_text(offered))


def sasl_authenticate(call: Call, request: Body, response: Body) -> str:
    """Name the principal, and why a login failed or how long it lasts."""
    words = [escape(call.principal)] if call.principal else []
    if response.get("errorMessage"):
        words.append(show(response["errorMessage"]))
    if response.get("sessionLifetimeMs"):
        words.append(f"session of {response['sessionLifetimeMs'] / 1000:g} s")
    return ", ".join(words)


def create_topics(call: Call, request: Body, response: Body) -> str:
    """Name the new topics with their partitions and replication."""
    topics = request.get("topics", [])
    words = [
        f"{name_text(topic['name'])} ({count_text(topic['numPartitions'], 'partition')}, "
        f"replication {topic['replicationFactor']})"
        if topic["numPartitions"] > 0
        else name_text(topic["name"])
        for topic in topics[:MOST_NAMES]
    ]
    if len(topics) > MOST_NAMES:
        words.append(f"{ELLIPSIS} ({len(topics)} topics)")
    return ", ".join(words)


def delete_topics(call: Call, request: Body, response: Body) -> str:
    """Name the topics."""
    if names := request.get("topicNames"):
        return names_text(names)
    return names_text(topic_text(call, topic) for topic in request.get("topics", []))


def configs(call: Call, request: Body, response: Body) -> str:
    """Name the resources whose configuration is read or changed."""
    resources = request.get("resources", [])
    kinds = (
        f"{_CONFIG_RESOURCES.get(resource['resourceType'], resource['resourceType'])} {resource['resourceName']}"
        for resource in resources
    )
    return names_text(kinds)


def broker(call: Call, request: Body, response: Body) -> str:
    """Name the broker that asks its controller."""
    return f"broker {request['brokerId']}" if request else ""


def cluster(call: Call, request: Body, response: Body) -> str:
    """Count the brokers."""
    return count_text(len(response["brokers"]), "broker") if response.get("brokers") else ""


def envelope(call: Call, request: Body, response: Body) -> str:
    """Name the request inside, which a broker forwards to the controller (KIP-590)."""
    return ", ".join(f"{item['type']} v{item['version']}" for item in call.decoded if item["where"] == "request")


def named_list(key: str, label: str) -> Callable[[Call, Body, Body], str]:
    """Describe a request that is a list of names."""

    def describe(call: Call, request: Body, response: Body) -> str:
        return f"{label} {names_text(request[key])}" if request.get(key) else ""

    return describe
