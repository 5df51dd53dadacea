"""The gist of calls of consumer, share and Streams groups and their offsets."""

from kafkasniff.calls.call import Call
from kafkasniff.render.gists.words import (
    MOST_NAMES,
    Body,
    group_text,
    member_id_text,
    name_text,
    names_text,
    partition_index,
    then,
    topics_text,
)
from kafkasniff.render.text import count_text, show


def _member(call: Call, request: Body) -> str:
    """Name group, member (static members by their instance id) and generation or epoch, as far as given."""
    words = [group_text(request)] if "groupId" in request else []
    if instance := request.get("groupInstanceId") or request.get("instanceId"):
        words.append(f"instance {name_text(instance)}")
    elif member := request.get("memberId"):
        words.append(f"member {member_id_text(call, member)}")
    if "generationId" in request:
        words.append(f"generation {request['generationId']}")
    if "memberEpoch" in request:
        words.append(f"epoch {request['memberEpoch']}")
    return " ".join(words)


def join_group(call: Call, request: Body, response: Body) -> str:
    """Say which assignors a member offers, why it joins, and what generation came of it."""
    asked = _member(call, request)
    if request.get("protocols"):
        asked += " offers " + names_text(protocol["name"] for protocol in request["protocols"])
    if request.get("reason"):
        asked += f" ({show(request['reason'])})"
    if response.get("generationId", -1) < 0:
        return asked
    answer = f"generation {response['generationId']} {name_text(response['protocolName'] or 'without protocol')}"
    if response["members"]:
        answer += f", leads {count_text(len(response['members']), 'member')}"
    return then(asked, answer)


def member_call(call: Call, request: Body, response: Body) -> str:
    """Name group and member."""
    return _member(call, request)


def sync_group(call: Call, request: Body, response: Body) -> str:
    """Name group and member; of the leader, how many members it assigns to."""
    asked = _member(call, request)
    if request.get("assignments"):
        asked += f" assigns to {count_text(len(request['assignments']), 'member')}"
    return asked


def leave_group(call: Call, request: Body, response: Body) -> str:
    """Name the members that leave, and why."""
    members = request.get("members") or []
    if not members:
        return _member(call, request)
    names = names_text(member.get("groupInstanceId") or member_id_text(call, member["memberId"]) for member in members)
    reason = members[0].get("reason")
    return f"{group_text(request)} member {names}" + (f" ({show(reason)})" if reason else "")


def group_heartbeat(call: Call, request: Body, response: Body) -> str:
    """Describe ConsumerGroupHeartbeat and ShareGroupHeartbeat (KIP-848, KIP-932)."""
    asked = _member(call, request)
    if topics := request.get("subscribedTopicNames"):
        asked += f" subscribes {names_text(topics)}"
    assignment = response.get("assignment")
    words = [f"epoch {response['memberEpoch']}"] if response.get("memberEpoch") else []
    if assignment:
        words.append("assigned " + (topics_text(call, assignment["topicPartitions"], "partitions") or "nothing"))
    return then(asked, ", ".join(words))


def offset_commit(call: Call, request: Body, response: Body) -> str:
    """Say which offsets a group commits."""

    def committed(partition: Body) -> str:
        return f"{partition['partitionIndex']}@{partition['committedOffset']}"

    if not request:
        return topics_text(call, response.get("topics"), "partitions", partition_index)
    return f"{group_text(request)} {topics_text(call, request['topics'], 'partitions', committed)}"


def offset_fetch(call: Call, request: Body, response: Body) -> str:
    """Say which offsets a group has committed; -1 is none."""

    def offset(partition: Body) -> str:
        return f"{partition['partitionIndex']}@{partition['committedOffset']}"

    groups = request.get("groups") or ([request] if "groupId" in request else [])
    asked = " ".join(group_text(group) for group in groups[:MOST_NAMES])
    answers = response.get("groups") or [response]
    return then(asked, " ".join(topics_text(call, group.get("topics"), "partitions", offset) for group in answers[:1]))
