"""All rules."""

from typing import Any

from kafkasniff.diagnose.cluster.brokers import CLUSTER_RULES
from kafkasniff.diagnose.cluster.leaders import LEADER_RULES
from kafkasniff.diagnose.cluster.metadata import METADATA_RULES
from kafkasniff.diagnose.cluster.polling import POLLING_RULES
from kafkasniff.diagnose.cluster.quotas import QUOTA_RULES
from kafkasniff.diagnose.cluster.topics import TOPIC_RULES
from kafkasniff.diagnose.consumers.compatibility import COMPATIBILITY_RULES
from kafkasniff.diagnose.consumers.fetch import FETCH_RULES
from kafkasniff.diagnose.consumers.lag import LAG_RULES
from kafkasniff.diagnose.consumers.offsets import OFFSET_RULES
from kafkasniff.diagnose.consumers.restarts import RESTART_RULES
from kafkasniff.diagnose.consumers.share import SHARE_RULES
from kafkasniff.diagnose.groups.commits import COMMIT_RULES
from kafkasniff.diagnose.groups.errors import GROUP_ERROR_RULES
from kafkasniff.diagnose.groups.membership import MEMBERSHIP_RULES
from kafkasniff.diagnose.groups.outside import OUTSIDE_RULES
from kafkasniff.diagnose.groups.poll_timeouts import POLL_TIMEOUT_RULES
from kafkasniff.diagnose.groups.rebalances import REBALANCE_RULES
from kafkasniff.diagnose.groups.releasing import RELEASING_RULES
from kafkasniff.diagnose.groups.stuck import STUCK_RULES
from kafkasniff.diagnose.groups.subscriptions import SUBSCRIPTION_RULES
from kafkasniff.diagnose.network.churn import CHURN_RULES
from kafkasniff.diagnose.network.closed import CLOSED_RULES
from kafkasniff.diagnose.network.connections import CONNECTION_RULES
from kafkasniff.diagnose.network.forgotten import FORGOTTEN_RULES
from kafkasniff.diagnose.network.idle import IDLE_RULES
from kafkasniff.diagnose.network.path import PATH_RULES
from kafkasniff.diagnose.network.ports import PORT_RULES
from kafkasniff.diagnose.network.rights import RIGHTS_RULES
from kafkasniff.diagnose.network.security import SECURITY_RULES
from kafkasniff.diagnose.network.sessions import SESSION_RULES
from kafkasniff.diagnose.network.tcp import NETWORK_RULES
from kafkasniff.diagnose.network.tls import TLS_RULES
from kafkasniff.diagnose.network.unreachable import UNREACHABLE_RULES
from kafkasniff.diagnose.producers.compression import COMPRESSION_RULES
from kafkasniff.diagnose.producers.produce import PRODUCE_RULES
from kafkasniff.diagnose.producers.refused import REFUSED_RULES
from kafkasniff.diagnose.producers.sequences import SEQUENCE_RULES
from kafkasniff.diagnose.producers.transactions import TRANSACTION_RULES
from kafkasniff.diagnose.producers.waiting import WAITING_RULES
from kafkasniff.diagnose.rule import Rule
from kafkasniff.diagnose.unexplained import UNEXPLAINED_RULES

RULES: tuple[type[Rule[Any]], ...] = (
    *REBALANCE_RULES,
    *STUCK_RULES,
    *POLL_TIMEOUT_RULES,
    *MEMBERSHIP_RULES,
    *COMMIT_RULES,
    *GROUP_ERROR_RULES,
    *OUTSIDE_RULES,
    *SUBSCRIPTION_RULES,
    *RELEASING_RULES,
    *METADATA_RULES,
    *TOPIC_RULES,
    *LEADER_RULES,
    *POLLING_RULES,
    *PRODUCE_RULES,
    *COMPRESSION_RULES,
    *REFUSED_RULES,
    *SEQUENCE_RULES,
    *TRANSACTION_RULES,
    *WAITING_RULES,
    *FETCH_RULES,
    *OFFSET_RULES,
    *COMPATIBILITY_RULES,
    *LAG_RULES,
    *RESTART_RULES,
    *SHARE_RULES,
    *SECURITY_RULES,
    *RIGHTS_RULES,
    *PORT_RULES,
    *CHURN_RULES,
    *CONNECTION_RULES,
    *IDLE_RULES,
    *CLOSED_RULES,
    *SESSION_RULES,
    *FORGOTTEN_RULES,
    *PATH_RULES,
    *TLS_RULES,
    *UNREACHABLE_RULES,
    *NETWORK_RULES,
    *CLUSTER_RULES,
    *QUOTA_RULES,
    *UNEXPLAINED_RULES,
)

RULES_BY_ID: dict[str, type[Rule[Any]]] = {rule.id: rule for rule in RULES}
