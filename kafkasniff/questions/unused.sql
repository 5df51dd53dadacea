-- Topics that members of a group subscribe to, and that none of the clients seen in the group fetched from: what nobody
-- reads, or what began before the capture. Clients are known by address and client id.
WITH joined AS (
  SELECT "group", client_host, client_id, time, explode_outer(topics) AS topic
  FROM group_events
  WHERE event = 'join' AND error_name IS NULL
),
members AS (
  SELECT DISTINCT "group", client_host, client_id FROM group_events
),
fetched AS (
  SELECT DISTINCT members."group", read.topic
  FROM (
    SELECT client_host, client_id, explode_outer(topics) AS topic
    FROM calls
    WHERE api_name IN ('FETCH', 'SHARE_FETCH')
  ) AS read
  JOIN members
    ON read.client_host = members.client_host AND read.client_id IS NOT DISTINCT FROM members.client_id
  WHERE read.topic IS NOT NULL
)
SELECT
  joined."group", joined.topic,
  array_sort(collect_set(joined.client_id)) AS client_ids, array_sort(collect_set(joined.client_host)) AS client_hosts,
  count(*) AS joins, min(joined.time) AS first_time
FROM joined
LEFT JOIN fetched ON joined."group" = fetched."group" AND joined.topic = fetched.topic
WHERE joined.topic IS NOT NULL AND fetched.topic IS NULL
GROUP BY joined."group", joined.topic
ORDER BY joined."group", joined.topic
