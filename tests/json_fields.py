"""Columns of `calls` by the fields of the JSON lines that say the same: of a line, and of its `requestHeader`."""

CALL_FIELDS = {
    "connection": "connection",
    "client": "client",
    "server": "server",
    "response_api_version": "responseApiVersion",
    "outcome": "outcome",
    "total_time_ms": "totalTimeMs",
    "response_delay_ms": "responseDelayMs",
    "pending_ms": "pendingMs",
    "request_size_bytes": "requestSizeBytes",
    "response_size_bytes": "responseSizeBytes",
    "request_file": "requestFile",
    "request_packet": "requestPacket",
    "response_file": "responseFile",
    "response_packet": "responsePacket",
    "security_protocol": "securityProtocol",
    "principal": "principal",
}
HEADER_FIELDS = {
    "api_key": "requestApiKey",
    "api_name": "requestApiKeyName",
    "api_version": "requestApiVersion",
    "correlation_id": "correlationId",
    "client_id": "clientId",
}
