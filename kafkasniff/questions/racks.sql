-- Fetches by clients that say their rack, from brokers in it and in others, with the bytes of the answers: what crosses
-- racks costs where they are availability zones. A broker is the one that Metadata places at the server's address;
-- `broker_rack` is null where it is not known.
WITH placed AS (
  SELECT DISTINCT vantage, server, rack FROM brokers
)
SELECT
  calls.client_host, calls.client_id, calls.rack_id, calls.server, placed.rack AS broker_rack,
  placed.rack <> calls.rack_id AS crosses,
  count(*) AS fetches,
  coalesce(sum(calls.response_size_bytes), 0) AS bytes
FROM calls
LEFT JOIN placed ON calls.vantage = placed.vantage AND calls.server = placed.server
WHERE calls.api_name IN ('FETCH', 'SHARE_FETCH') AND calls.rack_id <> ''
GROUP BY calls.client_host, calls.client_id, calls.rack_id, calls.server, placed.rack
ORDER BY crosses DESC NULLS LAST, bytes DESC, calls.client_host, calls.client_id, calls.server
