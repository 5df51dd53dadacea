// Who talks to whom: a row for each client, a column for each broker or topic, the shade by the number in it.

const COLUMNS_SHOWN = 12;
const SHADES = 8;

// cells: objects with `row`, `column` and the measure; columns beyond the largest stand together.
function matrixRows(cells, measure) {
  const sums = new Map();
  for (const cell of cells) sums.set(cell.column, (sums.get(cell.column) ?? 0) + cell[measure]);
  const names = [...sums].sort((one, other) => other[1] - one[1]).map(([each]) => each);
  const shown = names.slice(0, names.length > COLUMNS_SHOWN ? COLUMNS_SHOWN - 1 : COLUMNS_SHOWN);
  const places = new Map(shown.map((each, index) => [each, `c${index}`]));
  const rows = new Map();
  let most = 1;
  for (const cell of cells) {
    const key = JSON.stringify(cell.row);
    if (!rows.has(key)) rows.set(key, { ...cell.row, total: 0 });
    const row = rows.get(key);
    const place = places.get(cell.column) ?? "rest";
    row[place] = (row[place] ?? 0) + cell[measure];
    row.total += cell[measure];
    most = Math.max(most, row[place]);
  }
  const shade = (value) => (value > 0 ? Math.max(1, Math.round((SHADES * Math.log1p(value)) / Math.log1p(most))) : 0);
  const columns = shown.map((each, index) => ({ key: `c${index}`, title: printable(each ?? "–"), shade }));
  if (names.length > shown.length) columns.push({ key: "rest", title: `${names.length - shown.length} others`, shade });
  return { rows: [...rows.values()], columns };
}

class Matrix {
  constructor(caption, measures, cells) {
    Object.assign(this, { caption, cells });
    this.measure = element("select", { "aria-label": `Measure of ${caption}`, onchange: () => this.show() }, ...measures.map(([key, title]) => element("option", { value: key }, title)));
    this.root = element("div", { class: "matrix" });
    span.listeners.push(() => this.show());
    this.show();
  }

  show() {
    const kind = this.measure.value.endsWith("bytes") ? "bytes" : "count";
    const { rows, columns } = matrixRows(this.cells(), this.measure.value);
    const table = new DataTable({
      caption: this.caption,
      columns: [CLIENT_ID, HOST, column("total", "all", kind), ...columns.map((each) => ({ ...each, kind }))],
      rows,
      total: rows.length,
      sort: "total",
      tool: this.measure,
      pageRows: 30,
    });
    this.root.replaceChildren(table.root);
  }
}

function talkSection() {
  const brokers = () =>
    [...added("client_cells", ["client_host", "client_id", "server"]).values()].map((sum) => ({
      ...sum,
      row: { client_id: sum.client_id, client_host: sum.client_host },
      column: sum.server,
      bytes: sum.request_bytes + sum.response_bytes,
    }));
  const topics = (role) => () =>
    objects(data.tables.who)
      .filter((each) => each.role === role)
      .map((each) => ({ ...each, row: { client_id: each.client_id, client_host: each.client_host }, column: each.topic }));
  const measures = [["calls", "calls"], ["failed", "failed calls"], ["bytes", "bytes"]];
  const ofTopics = [["bytes", "bytes"], ["records", "records"], ["calls", "calls"]];
  const matrices = [new Matrix("Clients and brokers", measures, brokers)];
  for (const [role, title] of [["produces", "Who produces to which topic"], ["consumes", "Who consumes which topic"], ["commits", "Who commits offsets of which topic"]]) {
    const cells = topics(role);
    if (cells().length) matrices.push(new Matrix(title, role === "commits" ? ofTopics.slice(2) : ofTopics, cells));
  }
  return section("who", "Who talks to whom", ...matrices.map((matrix) => matrix.root));
}
