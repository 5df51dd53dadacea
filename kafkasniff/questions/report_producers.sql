-- What idempotent and transactional producers wrote, by producer id and epoch.
SELECT
  client_id, client_host, producer_id, producer_epoch, is_transactional,
  count(DISTINCT topic) AS topics, count(*) AS batches, sum(coalesce(record_count, 0)) AS records,
  sum(size_in_bytes) AS bytes, min(time) AS time, max(time) AS last_time
FROM batches
WHERE api_name = 'PRODUCE' AND producer_id >= 0
GROUP BY client_id, client_host, producer_id, producer_epoch, is_transactional
ORDER BY is_transactional DESC, bytes DESC, producer_id, producer_epoch
