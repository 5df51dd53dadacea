// The span of time that all tables are about: brushed in a plot, or set by two sliders.

const bins = data.bins;
const span = { range: null, listeners: [] };

// Where things are counted in wider bins than others, a span covers whole ones of all of them.
const cellTables = ["api_cells", "latency_cells", "client_cells", "topic_cells", "error_cells"];
const snap = bins ? Math.max(...cellTables.map((each) => data.tables[each].bins.width)) : 0;
const steps = bins ? Math.ceil((bins.start + bins.count * bins.width - snapped(bins.start)) / snap) : 0;

function snapped(time) {
  return Math.floor(time / snap) * snap;
}

// Times in ms; the second is not within the span. null stands for all.
function choose(range) {
  span.range = range;
  for (const listener of span.listeners) listener();
}

function chooseAround(from, to) {
  choose([snapped(from), Math.max(snapped(to - 1e-3) + snap, snapped(from) + snap)]);
}

function isWithin(from, to = from) {
  return span.range === null || (to >= span.range[0] && from < span.range[1]);
}

// Adds up what was counted in bins within the span, by keys; gives rows as `stats` does, without percentiles.
function added(cells, keys) {
  const table = data.tables[cells];
  const places = keys.map((key) => indexOf(table, key));
  const sums = ["calls", "failed", "unanswered", "request_bytes", "response_bytes"];
  const columns = sums.map((each) => indexOf(table, each));
  const [bin, slowest] = [indexOf(table, "bin"), indexOf(table, "max_ms")];
  const found = new Map();
  for (const row of table.rows) {
    const time = table.bins.start + row[bin] * table.bins.width;
    if (span.range !== null && (time < span.range[0] || time >= span.range[1])) continue;
    const key = JSON.stringify(places.map((place) => row[place]));
    let sum = found.get(key);
    if (!sum) {
      sum = { p50_ms: null, p99_ms: null, max_ms: null };
      keys.forEach((each, index) => (sum[each] = row[places[index]]));
      for (const each of sums) sum[each] = 0;
      found.set(key, sum);
    }
    sums.forEach((each, index) => (sum[each] += row[columns[index]]));
    if (slowest >= 0 && row[slowest] !== null) sum.max_ms = Math.max(sum.max_ms ?? 0, row[slowest]);
  }
  return found;
}

// Gives rows the percentiles that the steps of latencies within the span tell, which are good to five in a hundred.
function withPercentiles(rows, keys) {
  const table = data.tables.latency_cells;
  const places = keys.map((key) => indexOf(table, key));
  const [bin, step, calls] = ["bin", "step", "calls"].map((each) => indexOf(table, each));
  const counts = new Map();
  for (const row of table.rows) {
    const time = table.bins.start + row[bin] * table.bins.width;
    if (time < span.range[0] || time >= span.range[1]) continue;
    const key = JSON.stringify(places.map((place) => row[place]));
    if (!counts.has(key)) counts.set(key, new Map());
    const own = counts.get(key);
    own.set(row[step], (own.get(row[step]) ?? 0) + row[calls]);
  }
  for (const [key, own] of counts) {
    const row = rows.get(key);
    const sorted = [...own].sort((one, other) => one[0] - other[0]);
    const total = sorted.reduce((sum, [, count]) => sum + count, 0);
    const at = (part) => {
      let left = part * total;
      for (const [each, count] of sorted) {
        left -= count;
        if (left <= 0) return Math.exp((each + 0.5) / 10);
      }
      return null;
    };
    if (row) Object.assign(row, { p50_ms: at(0.5), p99_ms: at(0.99), about: true });
  }
  return rows;
}

function spanBar() {
  if (!bins) return null;
  const from = element("input", { type: "range", min: 0, max: steps - 1, value: 0, "aria-label": "First moment of the span" });
  const to = element("input", { type: "range", min: 0, max: steps - 1, value: steps - 1, "aria-label": "Last moment of the span" });
  const text = element("output", { id: "span" });
  const all = element("button", { onclick: () => choose(null) }, "whole capture");
  const start = snapped(bins.start);
  const move = (moved, other) => {
    const [first, last] = [Math.min(+from.value, +to.value), Math.max(+from.value, +to.value)];
    choose(first === 0 && last === steps - 1 ? null : [start + first * snap, start + (last + 1) * snap]);
  };
  from.addEventListener("input", move);
  to.addEventListener("input", move);
  const show = () => {
    const [first, behind] = span.range ?? [start, start + steps * snap];
    from.value = Math.round((first - start) / snap);
    to.value = Math.round((behind - start) / snap) - 1;
    const times = `${timeText(Math.max(first, bins.start))} to ${timeText(Math.min(behind, bins.start + bins.count * bins.width))}`;
    text.textContent = span.range ? `${times} (≈: from steps of a tenth)` : `whole capture: ${dayText(bins.start)} ${times} UTC`;
    for (const input of [from, to]) input.setAttribute("aria-valuetext", timeText(start + input.value * snap));
    all.disabled = span.range === null;
  };
  span.listeners.push(show);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && span.range !== null) choose(null);
  });
  show();
  return element("div", { class: "span-bar", role: "region", "aria-label": "Span of time" }, from, to, text, all);
}
