-- Which programs speak to the brokers: one row for each address, client id, software, principal and protocol.
SELECT
  client_host, client_id, software_name, software_version, principal, security_protocol,
  count(*) AS calls, min(time) AS first_time, max(time) AS last_time
FROM calls
GROUP BY client_host, client_id, software_name, software_version, principal, security_protocol
ORDER BY calls DESC, client_host, client_id
