// Puts the page together, and lets the time that is brushed decide what tables show.

const MEASURES = [
  { key: "calls", title: "calls", kind: "count" },
  { key: "failed", title: "failed", kind: "count", warns: true },
  { key: "unanswered", title: "unanswered", kind: "count", warns: true },
  { key: "request_bytes", title: "request bytes", kind: "bytes" },
  { key: "response_bytes", title: "response bytes", kind: "bytes" },
  { key: "p50_ms", title: "p50", kind: "ms" },
  { key: "p99_ms", title: "p99", kind: "ms" },
  { key: "max_ms", title: "slowest", kind: "ms" },
];

function section(id, title, ...children) {
  return element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title), ...children);
}

function measured(caption, table, keys, command) {
  const columns = [...keys, ...MEASURES];
  return new DataTable({ caption, columns, rows: objects(table), total: table.total, sort: "calls", command });
}

function readCommand(options) {
  const parts = Object.entries(options).filter(([, value]) => value !== null && value !== undefined && value !== "–");
  return `kafkasniff read ${data.arguments} ${parts.map(([key, value]) => `--${key} ${shellWord(String(value))}`).join(" ")}`;
}

function trafficSection() {
  const table = data.tables.over_time;
  const plotsOfTraffic = [
    new TimePlot({
      title: "Calls",
      format: countText,
      series: [
        { title: "calls", colour: "blue", values: perBin(table, "calls", 0) },
        { title: "failed", colour: "red", values: perBin(table, "failed", 0) },
      ],
    }),
    new TimePlot({
      title: "Bytes",
      format: sizeText,
      series: [
        { title: "of requests", colour: "violet", values: perBin(table, "request_bytes", 0) },
        { title: "of responses", colour: "green", values: perBin(table, "response_bytes", 0), lines: true },
      ],
    }),
    new TimePlot({
      title: "Latency",
      format: durationText,
      log: true,
      series: [
        { title: "p50", colour: "green", values: perBin(table, "p50_ms", null), lines: true },
        { title: "p99", colour: "orange", values: perBin(table, "p99_ms", null), lines: true },
      ],
    }),
  ];
  return section("traffic", "Over time", ...plotsOfTraffic.map((plot) => plot.root));
}

const text = (key, title) => ({ key, title, kind: "text" });
const callColumns = [
  { key: "time", title: "time", kind: "time" },
  text("client_id", "client id"),
  text("client", "client"),
  text("server", "broker"),
  text("api_name", "API"),
  { key: "total_time_ms", title: "took", kind: "ms" },
  text("outcome", "outcome"),
  { key: "error_names", title: "errors", kind: "list", warns: false },
];

function showCommand(row) {
  return row.packet ? `kafkasniff show ${shellWord(row.file)} --packet ${row.packet}` : null;
}

function build() {
  const found = data.tables;
  const main = element("main", {});
  document.body.append(probe, status);
  const theme = element("button", { id: "theme", onclick: turnTheme }, "dark or light");
  document.body.append(
    element("header", {}, element("h1", {}, "kafkasniff: ", name(data.files.join(", "))), element("p", { id: "headline" }, name(data.closing)), theme),
    main,
  );
  const none = element("p", {}, "No findings.");
  main.append(section("findings", "Findings", ...(data.findings.length ? data.findings.map(findingElement) : [none])));
  if (bins) main.append(trafficSection());
  const parts = [
    section("apis", "APIs and brokers", measured("By API and broker", found.apis, [text("api_name", "API"), text("server", "broker")], (row) => readCommand({ api: row.api_name, server: null })).root),
    section("clients", "Clients", measured("Clients", found.clients, [text("client_id", "client id"), text("client_host", "host"), text("software_name", "software"), text("software_version", "version"), text("principal", "principal")], (row) => readCommand({ "client-id": row.client_id, host: row.client_host })).root),
    section("topics", "Topics", measured("Topics", found.topics, [text("topic", "topic")], (row) => (row.topic === null ? null : readCommand({ topic: row.topic }))).root),
    section("errors", "Errors", measured("Errors", found.errors, [text("error", "error"), text("api_name", "API")], (row) => readCommand({ errors: row.error, api: row.api_name })).root),
    section(
      "calls",
      "Single calls",
      new DataTable({ caption: "Slowest calls", columns: callColumns, rows: objects(found.slow_calls), total: found.slow_calls.total, sort: "total_time_ms", command: showCommand }).root,
      new DataTable({ caption: "Failed calls", columns: callColumns, rows: objects(found.failed_calls), total: found.failed_calls.total, sort: "time", descending: false, command: showCommand }).root,
    ),
  ];
  main.append(...parts);
  main.append(section("not-seen", "What was not seen", element("ul", {}, ...(data.notSeen.length ? data.notSeen : ["Nothing is missing that we know of."]).map((each) => element("li", {}, name(each))))));
  drawPlots();
  addEventListener("resize", drawPlots);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawPlots);
  document.body.dataset.ready = "yes";
}

function turnTheme() {
  const root = document.documentElement;
  const dark = (root.style.colorScheme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.style.colorScheme = dark ? "light" : "dark";
  drawPlots();
}

build();
