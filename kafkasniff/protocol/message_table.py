"""The messages that are no API, by name.

Written by tools/import_definitions.py.
"""

from typing import Final

from kafkasniff.protocol.fields import OtherMessage

MESSAGES: Final[dict[str, OtherMessage]] = {
    "AbortTransactionRecord": OtherMessage(
        "AbortTransactionRecord", "abort_transaction_record", "__cluster_metadata", 25, 0, 0
    ),
    "AccessControlEntryRecord": OtherMessage(
        "AccessControlEntryRecord", "access_control_entry_record", "__cluster_metadata", 18, 0, 0
    ),
    "BeginTransactionRecord": OtherMessage(
        "BeginTransactionRecord", "begin_transaction_record", "__cluster_metadata", 23, 0, 0
    ),
    "BrokerRegistrationChangeRecord": OtherMessage(
        "BrokerRegistrationChangeRecord", "broker_registration_change_record", "__cluster_metadata", 17, 0, 3
    ),
    "ClearElrRecord": OtherMessage("ClearElrRecord", "clear_elr_record", "__cluster_metadata", 28, 0, 0),
    "ClientQuotaRecord": OtherMessage("ClientQuotaRecord", "client_quota_record", "__cluster_metadata", 14, 0, 0),
    "ConfigRecord": OtherMessage("ConfigRecord", "config_record", "__cluster_metadata", 4, 0, 0),
    "ConsumerGroupCurrentMemberAssignmentKey": OtherMessage(
        "ConsumerGroupCurrentMemberAssignmentKey",
        "consumer_group_current_member_assignment_key",
        "__consumer_offsets",
        8,
        0,
        0,
    ),
    "ConsumerGroupCurrentMemberAssignmentValue": OtherMessage(
        "ConsumerGroupCurrentMemberAssignmentValue",
        "consumer_group_current_member_assignment_value",
        "__consumer_offsets",
        8,
        0,
        0,
    ),
    "ConsumerGroupMemberMetadataKey": OtherMessage(
        "ConsumerGroupMemberMetadataKey", "consumer_group_member_metadata_key", "__consumer_offsets", 5, 0, 0
    ),
    "ConsumerGroupMemberMetadataValue": OtherMessage(
        "ConsumerGroupMemberMetadataValue", "consumer_group_member_metadata_value", "__consumer_offsets", 5, 0, 0
    ),
    "ConsumerGroupMetadataKey": OtherMessage(
        "ConsumerGroupMetadataKey", "consumer_group_metadata_key", "__consumer_offsets", 3, 0, 0
    ),
    "ConsumerGroupMetadataValue": OtherMessage(
        "ConsumerGroupMetadataValue", "consumer_group_metadata_value", "__consumer_offsets", 3, 0, 0
    ),
    "ConsumerGroupPartitionMetadataKey": OtherMessage(
        "ConsumerGroupPartitionMetadataKey", "consumer_group_partition_metadata_key", "__consumer_offsets", 4, 0, 0
    ),
    "ConsumerGroupPartitionMetadataValue": OtherMessage(
        "ConsumerGroupPartitionMetadataValue", "consumer_group_partition_metadata_value", "__consumer_offsets", 4, 0, 0
    ),
    "ConsumerGroupRegularExpressionKey": OtherMessage(
        "ConsumerGroupRegularExpressionKey", "consumer_group_regular_expression_key", "__consumer_offsets", 16, 0, 0
    ),
    "ConsumerGroupRegularExpressionValue": OtherMessage(
        "ConsumerGroupRegularExpressionValue", "consumer_group_regular_expression_value", "__consumer_offsets", 16, 0, 0
    ),
    "ConsumerGroupTargetAssignmentMemberKey": OtherMessage(
        "ConsumerGroupTargetAssignmentMemberKey",
        "consumer_group_target_assignment_member_key",
        "__consumer_offsets",
        7,
        0,
        0,
    ),
    "ConsumerGroupTargetAssignmentMemberValue": OtherMessage(
        "ConsumerGroupTargetAssignmentMemberValue",
        "consumer_group_target_assignment_member_value",
        "__consumer_offsets",
        7,
        0,
        0,
    ),
    "ConsumerGroupTargetAssignmentMetadataKey": OtherMessage(
        "ConsumerGroupTargetAssignmentMetadataKey",
        "consumer_group_target_assignment_metadata_key",
        "__consumer_offsets",
        6,
        0,
        0,
    ),
    "ConsumerGroupTargetAssignmentMetadataValue": OtherMessage(
        "ConsumerGroupTargetAssignmentMetadataValue",
        "consumer_group_target_assignment_metadata_value",
        "__consumer_offsets",
        6,
        0,
        0,
    ),
    "ConsumerProtocolAssignment": OtherMessage(
        "ConsumerProtocolAssignment", "consumer_protocol_assignment", "", None, 0, 3
    ),
    "ConsumerProtocolSubscription": OtherMessage(
        "ConsumerProtocolSubscription", "consumer_protocol_subscription", "", None, 0, 3
    ),
    "ControlRecordTypeSchema": OtherMessage("ControlRecordTypeSchema", "control_record_type_schema", "", None, 0, 0),
    "DefaultPrincipalData": OtherMessage("DefaultPrincipalData", "default_principal_data", "", None, 0, 0),
    "DelegationTokenRecord": OtherMessage(
        "DelegationTokenRecord", "delegation_token_record", "__cluster_metadata", 10, 0, 0
    ),
    "EndTransactionRecord": OtherMessage(
        "EndTransactionRecord", "end_transaction_record", "__cluster_metadata", 24, 0, 0
    ),
    "EndTxnMarker": OtherMessage("EndTxnMarker", "end_txn_marker", "", None, 0, 0),
    "FeatureLevelRecord": OtherMessage("FeatureLevelRecord", "feature_level_record", "__cluster_metadata", 12, 0, 0),
    "FenceBrokerRecord": OtherMessage("FenceBrokerRecord", "fence_broker_record", "__cluster_metadata", 7, 0, 0),
    "GroupMetadataKey": OtherMessage("GroupMetadataKey", "group_metadata_key", "__consumer_offsets", 2, 0, 0),
    "GroupMetadataValue": OtherMessage("GroupMetadataValue", "group_metadata_value", "__consumer_offsets", 2, 0, 4),
    "KRaftVersionRecord": OtherMessage("KRaftVersionRecord", "kraft_version_record", "", None, 0, 0),
    "LeaderChangeMessage": OtherMessage("LeaderChangeMessage", "leader_change_message", "", None, 0, 1),
    "LegacyOffsetCommitKey": OtherMessage(
        "LegacyOffsetCommitKey", "legacy_offset_commit_key", "__consumer_offsets", 0, 0, 0
    ),
    "LegacyOffsetCommitValue": OtherMessage(
        "LegacyOffsetCommitValue", "legacy_offset_commit_value", "__consumer_offsets", 0, 0, 0
    ),
    "NoOpRecord": OtherMessage("NoOpRecord", "no_op_record", "__cluster_metadata", 20, 0, 0),
    "OffsetCommitKey": OtherMessage("OffsetCommitKey", "offset_commit_key", "__consumer_offsets", 1, 0, 0),
    "OffsetCommitValue": OtherMessage("OffsetCommitValue", "offset_commit_value", "__consumer_offsets", 1, 0, 4),
    "PartitionChangeRecord": OtherMessage(
        "PartitionChangeRecord", "partition_change_record", "__cluster_metadata", 5, 0, 2
    ),
    "PartitionRecord": OtherMessage("PartitionRecord", "partition_record", "__cluster_metadata", 3, 0, 2),
    "ProducerIdsRecord": OtherMessage("ProducerIdsRecord", "producer_ids_record", "__cluster_metadata", 15, 0, 0),
    "RegisterBrokerRecord": OtherMessage(
        "RegisterBrokerRecord", "register_broker_record", "__cluster_metadata", 0, 0, 4
    ),
    "RegisterControllerRecord": OtherMessage(
        "RegisterControllerRecord", "register_controller_record", "__cluster_metadata", 27, 0, 0
    ),
    "RemoteLogSegmentMetadataRecord": OtherMessage(
        "RemoteLogSegmentMetadataRecord", "remote_log_segment_metadata_record", "__remote_log_metadata", 0, 0, 0
    ),
    "RemoteLogSegmentMetadataSnapshotRecord": OtherMessage(
        "RemoteLogSegmentMetadataSnapshotRecord",
        "remote_log_segment_metadata_snapshot_record",
        "__remote_log_metadata",
        3,
        0,
        0,
    ),
    "RemoteLogSegmentMetadataUpdateRecord": OtherMessage(
        "RemoteLogSegmentMetadataUpdateRecord",
        "remote_log_segment_metadata_update_record",
        "__remote_log_metadata",
        1,
        0,
        0,
    ),
    "RemotePartitionDeleteMetadataRecord": OtherMessage(
        "RemotePartitionDeleteMetadataRecord",
        "remote_partition_delete_metadata_record",
        "__remote_log_metadata",
        2,
        0,
        0,
    ),
    "RemoveAccessControlEntryRecord": OtherMessage(
        "RemoveAccessControlEntryRecord", "remove_access_control_entry_record", "__cluster_metadata", 19, 0, 0
    ),
    "RemoveDelegationTokenRecord": OtherMessage(
        "RemoveDelegationTokenRecord", "remove_delegation_token_record", "__cluster_metadata", 26, 0, 0
    ),
    "RemoveTopicRecord": OtherMessage("RemoveTopicRecord", "remove_topic_record", "__cluster_metadata", 9, 0, 0),
    "RemoveUserScramCredentialRecord": OtherMessage(
        "RemoveUserScramCredentialRecord", "remove_user_scram_credential_record", "__cluster_metadata", 22, 0, 0
    ),
    "RequestHeader": OtherMessage("RequestHeader", "request_header", "", None, 0, 2),
    "ResponseHeader": OtherMessage("ResponseHeader", "response_header", "", None, 0, 1),
    "ShareGroupCurrentMemberAssignmentKey": OtherMessage(
        "ShareGroupCurrentMemberAssignmentKey",
        "share_group_current_member_assignment_key",
        "__consumer_offsets",
        14,
        0,
        0,
    ),
    "ShareGroupCurrentMemberAssignmentValue": OtherMessage(
        "ShareGroupCurrentMemberAssignmentValue",
        "share_group_current_member_assignment_value",
        "__consumer_offsets",
        14,
        0,
        0,
    ),
    "ShareGroupMemberMetadataKey": OtherMessage(
        "ShareGroupMemberMetadataKey", "share_group_member_metadata_key", "__consumer_offsets", 10, 0, 0
    ),
    "ShareGroupMemberMetadataValue": OtherMessage(
        "ShareGroupMemberMetadataValue", "share_group_member_metadata_value", "__consumer_offsets", 10, 0, 0
    ),
    "ShareGroupMetadataKey": OtherMessage(
        "ShareGroupMetadataKey", "share_group_metadata_key", "__consumer_offsets", 11, 0, 0
    ),
    "ShareGroupMetadataValue": OtherMessage(
        "ShareGroupMetadataValue", "share_group_metadata_value", "__consumer_offsets", 11, 0, 0
    ),
    "ShareGroupPartitionMetadataKey": OtherMessage(
        "ShareGroupPartitionMetadataKey", "share_group_partition_metadata_key", "__consumer_offsets", 9, 9, 9
    ),
    "ShareGroupPartitionMetadataValue": OtherMessage(
        "ShareGroupPartitionMetadataValue", "share_group_partition_metadata_value", "__consumer_offsets", None, 0, 0
    ),
    "ShareGroupStatePartitionMetadataKey": OtherMessage(
        "ShareGroupStatePartitionMetadataKey",
        "share_group_state_partition_metadata_key",
        "__consumer_offsets",
        15,
        0,
        0,
    ),
    "ShareGroupStatePartitionMetadataValue": OtherMessage(
        "ShareGroupStatePartitionMetadataValue",
        "share_group_state_partition_metadata_value",
        "__consumer_offsets",
        15,
        0,
        0,
    ),
    "ShareGroupTargetAssignmentMemberKey": OtherMessage(
        "ShareGroupTargetAssignmentMemberKey",
        "share_group_target_assignment_member_key",
        "__consumer_offsets",
        13,
        0,
        0,
    ),
    "ShareGroupTargetAssignmentMemberValue": OtherMessage(
        "ShareGroupTargetAssignmentMemberValue",
        "share_group_target_assignment_member_value",
        "__consumer_offsets",
        13,
        0,
        0,
    ),
    "ShareGroupTargetAssignmentMetadataKey": OtherMessage(
        "ShareGroupTargetAssignmentMetadataKey",
        "share_group_target_assignment_metadata_key",
        "__consumer_offsets",
        12,
        0,
        0,
    ),
    "ShareGroupTargetAssignmentMetadataValue": OtherMessage(
        "ShareGroupTargetAssignmentMetadataValue",
        "share_group_target_assignment_metadata_value",
        "__consumer_offsets",
        12,
        0,
        0,
    ),
    "ShareSnapshotKey": OtherMessage("ShareSnapshotKey", "share_snapshot_key", "__share_group_state", 0, 0, 0),
    "ShareSnapshotValue": OtherMessage("ShareSnapshotValue", "share_snapshot_value", "__share_group_state", 0, 0, 0),
    "ShareUpdateKey": OtherMessage("ShareUpdateKey", "share_update_key", "__share_group_state", 1, 0, 0),
    "ShareUpdateValue": OtherMessage("ShareUpdateValue", "share_update_value", "__share_group_state", 1, 0, 0),
    "SnapshotFooterRecord": OtherMessage("SnapshotFooterRecord", "snapshot_footer_record", "", None, 0, 0),
    "SnapshotHeaderRecord": OtherMessage("SnapshotHeaderRecord", "snapshot_header_record", "", None, 0, 0),
    "StreamsGroupCurrentMemberAssignmentKey": OtherMessage(
        "StreamsGroupCurrentMemberAssignmentKey",
        "streams_group_current_member_assignment_key",
        "__consumer_offsets",
        22,
        0,
        0,
    ),
    "StreamsGroupCurrentMemberAssignmentValue": OtherMessage(
        "StreamsGroupCurrentMemberAssignmentValue",
        "streams_group_current_member_assignment_value",
        "__consumer_offsets",
        22,
        0,
        0,
    ),
    "StreamsGroupMemberMetadataKey": OtherMessage(
        "StreamsGroupMemberMetadataKey", "streams_group_member_metadata_key", "__consumer_offsets", 19, 0, 0
    ),
    "StreamsGroupMemberMetadataValue": OtherMessage(
        "StreamsGroupMemberMetadataValue", "streams_group_member_metadata_value", "__consumer_offsets", 19, 0, 0
    ),
    "StreamsGroupMetadataKey": OtherMessage(
        "StreamsGroupMetadataKey", "streams_group_metadata_key", "__consumer_offsets", 17, 0, 0
    ),
    "StreamsGroupMetadataValue": OtherMessage(
        "StreamsGroupMetadataValue", "streams_group_metadata_value", "__consumer_offsets", 17, 0, 0
    ),
    "StreamsGroupTargetAssignmentMemberKey": OtherMessage(
        "StreamsGroupTargetAssignmentMemberKey",
        "streams_group_target_assignment_member_key",
        "__consumer_offsets",
        21,
        0,
        0,
    ),
    "StreamsGroupTargetAssignmentMemberValue": OtherMessage(
        "StreamsGroupTargetAssignmentMemberValue",
        "streams_group_target_assignment_member_value",
        "__consumer_offsets",
        21,
        0,
        0,
    ),
    "StreamsGroupTargetAssignmentMetadataKey": OtherMessage(
        "StreamsGroupTargetAssignmentMetadataKey",
        "streams_group_target_assignment_metadata_key",
        "__consumer_offsets",
        20,
        0,
        0,
    ),
    "StreamsGroupTargetAssignmentMetadataValue": OtherMessage(
        "StreamsGroupTargetAssignmentMetadataValue",
        "streams_group_target_assignment_metadata_value",
        "__consumer_offsets",
        20,
        0,
        0,
    ),
    "StreamsGroupTopologyKey": OtherMessage(
        "StreamsGroupTopologyKey", "streams_group_topology_key", "__consumer_offsets", 23, 0, 0
    ),
    "StreamsGroupTopologyValue": OtherMessage(
        "StreamsGroupTopologyValue", "streams_group_topology_value", "__consumer_offsets", 23, 0, 0
    ),
    "TopicRecord": OtherMessage("TopicRecord", "topic_record", "__cluster_metadata", 2, 0, 0),
    "TransactionLogKey": OtherMessage("TransactionLogKey", "transaction_log_key", "__transaction_state", 0, 0, 0),
    "TransactionLogValue": OtherMessage("TransactionLogValue", "transaction_log_value", "__transaction_state", 0, 0, 1),
    "UnfenceBrokerRecord": OtherMessage("UnfenceBrokerRecord", "unfence_broker_record", "__cluster_metadata", 8, 0, 0),
    "UnregisterBrokerRecord": OtherMessage(
        "UnregisterBrokerRecord", "unregister_broker_record", "__cluster_metadata", 1, 0, 0
    ),
    "UnregisterControllerRecord": OtherMessage(
        "UnregisterControllerRecord", "unregister_controller_record", "__cluster_metadata", 29, 0, 0
    ),
    "UserScramCredentialRecord": OtherMessage(
        "UserScramCredentialRecord", "user_scram_credential_record", "__cluster_metadata", 11, 0, 0
    ),
    "VotersRecord": OtherMessage("VotersRecord", "voters_record", "", None, 0, 0),
    "ZkMigrationStateRecord": OtherMessage(
        "ZkMigrationStateRecord", "zk_migration_state_record", "__cluster_metadata", 21, 0, 0
    ),
}
