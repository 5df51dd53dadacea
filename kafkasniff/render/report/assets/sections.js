// The parts of the page. Each gives its elements; what the span decides is filled again when it changes.

const column = (key, title, kind = "text", more = {}) => ({ key, title, kind, ...more });
const API = column("api_name", "API", "api");
const BROKER = column("server", "broker");
const CLIENT_ID = column("client_id", "client id");
const HOST = column("client_host", "host");
const TIME = column("time", "time", "time");
const CALLS = column("calls", "calls", "count");
const FAILED = column("failed", "failed", "count", { warns: true });

const MEASURES = [
  CALLS,
  FAILED,
  column("unanswered", "unanswered", "count", { warns: true }),
  column("request_bytes", "request bytes", "bytes"),
  column("response_bytes", "response bytes", "bytes"),
  column("p50_ms", "p50", "ms"),
  column("p99_ms", "p99", "ms"),
  column("max_ms", "slowest", "ms"),
];

function section(id, title, ...children) {
  return element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title), ...children);
}

// A table of rows that have a time, of which those within the span are shown.
function listed(table, settings) {
  const rows = objects(data.tables[table]);
  const shown = new DataTable({ rows, total: data.tables[table].total, ...settings });
  const timed = rows.length && rows[0].time !== undefined;
  if (timed) span.listeners.push(() => shown.setRows(rows.filter((row) => isWithin(row.time, row.last_time ?? row.time))));
  return shown.root;
}

// A table of what calls were counted by: of the whole capture as `stats` answers, of a span from bins.
function counted(caption, table, cells, columns, { percentiles = false, command = null } = {}) {
  const keys = columns.map((each) => each.key);
  const rows = objects(data.tables[table]);
  const settings = { caption, columns: [...columns, ...MEASURES], rows, total: data.tables[table].total, sort: "calls", command };
  const shown = new DataTable(settings);
  span.listeners.push(() => {
    if (span.range === null) return shown.setRows(rows);
    const sums = added(cells, keys);
    return shown.setRows([...(percentiles ? withPercentiles(sums, keys) : sums).values()]);
  });
  return shown.root;
}

function readCommand(options) {
  const parts = Object.entries(options).filter(([, value]) => value !== null && value !== undefined);
  if (!parts.length) return null;
  return ["kafkasniff read", data.arguments, ...parts.map(([key, value]) => `--${key} ${shellWord(String(value))}`)].join(" ");
}

function showCommand(row) {
  return row.packet ? `kafkasniff show ${shellWord(row.file)} --packet ${row.packet}` : null;
}

function timeSection() {
  const table = data.tables.time_cells;
  const series = (title, colour, column, empty, lines = false) => ({ title, colour, values: perBin(table, column, empty), lines });
  const shown = [
    new TimePlot({
      title: "Calls",
      format: countText,
      series: [series("calls", "blue", "calls", 0), series("failed", "red", "failed", 0), series("unanswered", "orange", "unanswered", 0, true)],
    }),
    new TimePlot({
      title: "Bytes",
      format: sizeText,
      series: [series("of requests", "violet", "request_bytes", 0), series("of responses", "green", "response_bytes", 0, true)],
    }),
    new TimePlot({
      title: "Latency of all calls",
      format: durationText,
      log: true,
      series: [series("p50", "green", "p50_ms", null, true), series("p99", "orange", "p99_ms", null, true)],
    }),
  ];
  const hint = `Each step is ${durationText(bins.width)}. Drag across a plot, or move the sliders, to choose a span; Escape chooses all.`;
  return section("time", "Over time", element("p", { class: "hint" }, hint), ...shown.map((plot) => plot.root));
}

function latencySection() {
  const cells = data.tables.api_cells;
  const maps = cells.rows.length
    ? [
        new Heatmap({ title: "p99 by API and broker", unit: "p99", grid: cells.bins, format: durationText, lines: mapLines("api_cells", ["api_name", "server"], "p99_ms") }),
        new Heatmap({ title: "Errors by code and API", unit: "calls", grid: data.tables.error_cells.bins, format: countText, lines: mapLines("error_cells", ["error", "api_name"], "failed") }),
      ]
    : [];
  return section(
    "latency",
    "APIs, brokers and errors",
    ...maps.filter((map) => map.lines.length).map((map) => map.root),
    counted("By API and broker", "apis", "api_cells", [API, BROKER], { percentiles: true, command: (row) => readCommand({ api: row.api_name, host: hostOf(row.server) }) }),
    counted("Brokers", "servers", "api_cells", [BROKER], { command: (row) => readCommand({ host: hostOf(row.server) }) }),
    counted("Errors", "errors", "error_cells", [column("error", "error"), API], { command: (row) => readCommand({ errors: row.error, api: row.api_name }) }),
  );
}

function hostOf(address) {
  return address === null ? null : address.slice(0, address.lastIndexOf(":"));
}

function clientSection() {
  const command = (row) => readCommand({ "client-id": row.client_id, host: row.client_host });
  const programs = [CLIENT_ID, HOST, column("software_name", "software"), column("software_version", "version"), column("principal", "principal"), column("security_protocol", "protocol"), CALLS, column("first_time", "first", "time"), column("last_time", "last", "time")];
  return section(
    "clients",
    "Clients",
    counted("Top clients", "clients", "client_cells", [CLIENT_ID, HOST], { command }),
    listed("programs", { caption: "Programs", columns: programs, sort: "calls", command }),
  );
}

function topicSection() {
  const sums = (kind) => [column(`${kind}_bytes`, `${kind} bytes`, "bytes"), column(`${kind}_records`, "records", "count"), column(`${kind}_batches`, "batches", "count")];
  // No topic's name has a space.
  const topic = column("topic", "topic", "text", { nothing: "no topic" });
  const command = (row) => readCommand({ topic: row.topic });
  return section(
    "topics",
    "Topics and partitions",
    counted("Top topics", "topics", "topic_cells", [topic], { command }),
    listed("partitions", {
      caption: "Top partitions",
      columns: [topic, column("partition", "partition", "id"), ...sums("produced"), ...sums("fetched"), column("last_offset", "last offset", "id")],
      sort: "produced_bytes",
      command,
    }),
  );
}

function callSection() {
  const columns = [TIME, CLIENT_ID, column("client", "client"), BROKER, API, column("api_version", "version", "id"), column("total_time_ms", "took", "ms"), column("outcome", "outcome"), column("error_names", "errors", "list")];
  return section(
    "calls",
    "Single calls",
    listed("slow_calls", { caption: "Slowest calls", columns, sort: "total_time_ms", command: showCommand }),
    listed("failed_calls", { caption: "Failed calls", columns, sort: "time", descending: false, command: showCommand }),
  );
}

function groupSection() {
  const group = column("group", "group");
  const member = column("member_id", "member");
  const timeline = (row) => `kafkasniff diagnose ${data.arguments} --timeline ${shellWord(`group=${row.group}`)}`;
  const generations = objects(data.tables.generations);
  if (!data.tables.group_events.total) return section("groups", "Groups", element("p", {}, "No member joined or left a group."));
  const lines = new Map();
  const grid = { start: bins.start, width: bins.width, count: bins.count };
  for (const row of generations) {
    if (!lines.has(row.group)) lines.set(row.group, { name: row.group, values: new Array(grid.count).fill(null), weight: 0 });
    const line = lines.get(row.group);
    line.values[Math.min(Math.floor((row.time - grid.start) / grid.width), grid.count - 1)] += 1;
    line.weight += 1;
  }
  const sorted = [...lines.values()].sort((one, other) => other.weight - one.weight);
  const map = sorted.length ? new Heatmap({ title: "New generations of groups", unit: "generations", grid, format: countText, lines: sorted }).root : null;
  return section(
    "groups",
    "Groups",
    map,
    listed("generations", {
      caption: "Generations, and who caused each",
      columns: [TIME, group, column("generation", "generation", "id"), column("members", "members", "count"), column("caused_by", "caused by"), column("client", "client"), column("how", "how"), column("reason", "reason"), column("protocol", "assignor"), member],
      sort: "time",
      descending: false,
      command: timeline,
    }),
    listed("group_events", {
      caption: "Joins, syncs, leaves and failed heartbeats",
      columns: [TIME, group, column("event", "event"), CLIENT_ID, column("client", "client"), column("generation", "generation", "id"), column("error_name", "error"), column("reason", "reason"), member],
      sort: "time",
      descending: false,
      command: timeline,
    }),
  );
}

function transactionSection() {
  const { transactions, producers } = data.tables;
  if (!transactions.total && !producers.total) return section("transactions", "Transactions", element("p", {}, "No transactional or idempotent producer was seen."));
  const command = (row) => readCommand({ "client-id": row.client_id, host: row.client_host, api: row.api_name });
  return section(
    "transactions",
    "Transactions",
    listed("transactions", {
      caption: "Calls of transactions",
      columns: [CLIENT_ID, HOST, BROKER, API, CALLS, FAILED, column("p50_ms", "p50", "ms"), column("max_ms", "slowest", "ms"), TIME, column("last_time", "last", "time")],
      command,
    }),
    listed("producers", {
      caption: "Idempotent and transactional producers",
      columns: [CLIENT_ID, HOST, column("producer_id", "producer id", "id"), column("producer_epoch", "epoch", "id"), column("is_transactional", "transactional", "flag"), column("topics", "topics", "count"), column("batches", "batches", "count"), column("records", "records", "count"), column("bytes", "bytes", "bytes"), TIME, column("last_time", "last", "time")],
      command,
    }),
  );
}

function connectionSection() {
  const bad = (key, title, kind = "count") => column(key, title, kind, { warns: true });
  const tls = [column("tls_version", "TLS"), column("tls_cipher", "cipher"), column("tls_server_name", "server name"), column("tls_decrypted", "decrypted", "flag"), column("tls_failure", "why not")];
  return section(
    "connections",
    "Connections",
    listed("connection_kinds", {
      caption: "How connections began and ended",
      columns: [column("protocol", "protocol"), tls[0], tls[3], column("began", "began"), column("ended", "ended"), column("ended_by", "by"), column("connections", "connections", "count"), CALLS, bad("retransmissions", "retransmissions"), bad("gaps", "gaps"), bad("gap_bytes", "bytes lacking", "bytes"), column("round_trip_ms", "longest round trip", "ms")],
    }),
    listed("connections", {
      caption: "All connections",
      columns: [TIME, column("client", "client"), BROKER, column("protocol", "protocol"), CALLS, column("packets", "packets", "count"), column("client_bytes", "sent", "bytes"), column("server_bytes", "received", "bytes"), bad("retransmissions", "retransmissions"), bad("gaps", "gaps"), bad("gap_bytes", "bytes lacking", "bytes"), column("cut_packets", "cut", "count"), column("round_trip_ms", "round trip", "ms"), column("began", "began"), column("ended", "ended"), column("ended_by", "by"), ...tls],
      command: (row) => readCommand({ connection: row.connection }),
    }),
  );
}

function auditSection() {
  return section(
    "audit",
    `Audit for Kafka ${data.target}`,
    listed("audit", {
      caption: "Versions that clients use",
      columns: [column("refused", "refused", "flag", { warns: true }), column("steps_down", "steps down", "flag"), CLIENT_ID, HOST, column("software_name", "software"), column("software_version", "its version"), column("principal", "principal"), API, column("api_version", "version", "id"), column("minimum", "oldest taken", "id"), CALLS],
      command: (row) => readCommand({ "client-id": row.client_id, host: row.client_host, api: row.api_name }),
    }),
  );
}

function unseenSection() {
  const texts = data.notSeen.length ? data.notSeen : ["Nothing that we know of is missing."];
  return section("not-seen", "What was not seen", element("ul", {}, ...texts.map((each) => element("li", {}, name(each)))));
}
