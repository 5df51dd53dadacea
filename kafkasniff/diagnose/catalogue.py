"""All rules."""

from typing import Any

from kafkasniff.diagnose.cluster import CLUSTER_RULES
from kafkasniff.diagnose.connections import CONNECTION_RULES
from kafkasniff.diagnose.fetch import FETCH_RULES
from kafkasniff.diagnose.groups import GROUP_ERROR_RULES
from kafkasniff.diagnose.membership import MEMBERSHIP_RULES
from kafkasniff.diagnose.metadata import METADATA_RULES
from kafkasniff.diagnose.network import NETWORK_RULES
from kafkasniff.diagnose.ports import PORT_RULES
from kafkasniff.diagnose.produce import PRODUCE_RULES
from kafkasniff.diagnose.rebalances import REBALANCE_RULES
from kafkasniff.diagnose.refused import REFUSED_RULES
from kafkasniff.diagnose.rule import Rule
from kafkasniff.diagnose.security import SECURITY_RULES
from kafkasniff.diagnose.sequences import SEQUENCE_RULES
from kafkasniff.diagnose.transactions import TRANSACTION_RULES

RULES: tuple[type[Rule[Any]], ...] = (
    *REBALANCE_RULES,
    *MEMBERSHIP_RULES,
    *GROUP_ERROR_RULES,
    *METADATA_RULES,
    *PRODUCE_RULES,
    *REFUSED_RULES,
    *SEQUENCE_RULES,
    *TRANSACTION_RULES,
    *FETCH_RULES,
    *SECURITY_RULES,
    *PORT_RULES,
    *CONNECTION_RULES,
    *NETWORK_RULES,
    *CLUSTER_RULES,
)

RULES_BY_ID: dict[str, type[Rule[Any]]] = {rule.id: rule for rule in RULES}
