// Plots over time. All show the same span; what is brushed in one is the span that all tables are about.

function binTimes() {
  return Array.from({ length: bins.count }, (_, index) => (bins.start + index * bins.width) / 1000);
}

// One value a bin; bins without a row have `empty`.
function perBin(table, column, empty) {
  const values = new Array(bins.count).fill(empty);
  const [bin, place] = [indexOf(table, "bin"), indexOf(table, column)];
  for (const row of table.rows) values[row[bin]] = row[place];
  return values;
}

// A time with as many parts as tell ticks apart that are `step` ms from each other.
function momentText(time, step) {
  if (step >= 86_400_000) return dayText(time);
  const text = timeText(time);
  return step < 1000 ? text : step < 60_000 ? text.slice(0, 8) : text.slice(0, 5);
}

function decades(u, index, low, high) {
  const found = [];
  for (let power = Math.ceil(Math.log10(low) - 1e-9); power <= Math.log10(high) + 1e-9; power += 1) found.push(10 ** power);
  return found;
}

const plots = [];
const stepped = (u, index, from, to) => uPlot.paths.stepped({ align: 1 })(u, index, from, to);

// As wide as its bin is each value, also one that stands alone: uPlot's own steps end where the next value is none.
function stepsWithGaps(u, index, from, to) {
  const [times, values] = [u.data[0], u.data[index]];
  const stroke = new Path2D();
  let begun = false;
  for (let bin = from; bin <= Math.min(to, times.length - 2); bin += 1) {
    if (values[bin] === null) {
      begun = false;
      continue;
    }
    const height = u.valToPos(values[bin], "y", true);
    const left = u.valToPos(times[bin], "x", true);
    if (begun) stroke.lineTo(left, height);
    else stroke.moveTo(left, height);
    stroke.lineTo(u.valToPos(times[bin + 1], "x", true), height);
    begun = true;
  }
  return { stroke, flags: 1 };
}

// Ticks of counts and sizes stand at whole numbers.
const WHOLE_STEPS = Array.from({ length: 45 }, (_, index) => [1, 2, 5][index % 3] * 10 ** Math.floor(index / 3));

class TimePlot {
  // series: {title, colour, values, lines}
  constructor({ title, series, format, log = false }) {
    Object.assign(this, { title, series, format, log });
    const legend = series.map((each) =>
      element("li", {}, element("span", { class: `key ${each.colour}` }), each.title),
    );
    this.holder = element("div", { class: "plot" });
    this.reading = element("span", { class: "reading" });
    this.root = element(
      "figure",
      { role: "group", "aria-label": `${title} over time` },
      element("figcaption", {}, element("h3", {}, title), element("ul", { class: "legend" }, ...legend), this.reading),
      this.holder,
    );
    plots.push(this);
    span.listeners.push(() => this.mark());
  }

  draw() {
    this.plot?.destroy();
    const axis = { stroke: colour("soft"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1 } };
    const times = binTimes();
    const width = bins.width / 1000;
    // The last bin is as wide as the others.
    const options = {
      width: Math.max(this.holder.clientWidth, 200),
      height: 160,
      legend: { show: false },
      padding: [8, 40, 0, 0],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: "time" }, points: { size: 6 } },
      scales: {
        x: { range: [times[0], times[times.length - 1] + width] },
        y: this.log ? { distr: 3 } : { range: (u, low, high) => [0, Math.max(high, 1) * 1.05] },
      },
      axes: [
        { ...axis, space: 100, size: 32, values: (u, times, index, space, step) => times.map((time) => momentText(time * 1000, step * 1000)) },
        { ...axis, size: 64, ...(this.log ? { splits: decades } : { incrs: WHOLE_STEPS }), values: (u, values) => values.map((value) => (value === null ? "" : this.format(value))) },
      ],
      series: [
        {},
        ...this.series.map((each) => ({
          label: each.title,
          stroke: colour(each.colour),
          fill: each.lines ? undefined : colour(`${each.colour}-fill`),
          width: 1.5,
          paths: this.log ? stepsWithGaps : stepped,
          points: { show: false },
        })),
      ],
      hooks: {
        setSelect: [(u) => this.brushed(u)],
        setCursor: [(u) => this.read(u)],
      },
    };
    const last = (values) => [...values, values[values.length - 1]];
    this.plot = new uPlot(options, [[...times, times[times.length - 1] + width], ...this.series.map((each) => last(each.values))], this.holder);
    this.mark();
  }

  brushed(u) {
    if (this.marking || u.select.width < 2) return;
    const time = (pixel) => u.posToVal(pixel, "x") * 1000;
    chooseAround(time(u.select.left), time(u.select.left + u.select.width));
  }

  mark() {
    if (!this.plot) return;
    const u = this.plot;
    this.marking = true;
    const none = { left: 0, top: 0, width: 0, height: 0 };
    if (span.range === null) u.setSelect(none, false);
    else {
      const [from, to] = span.range;
      const left = Math.max(u.valToPos(from / 1000, "x"), 0);
      const right = Math.min(u.valToPos(to / 1000, "x"), u.over.clientWidth);
      u.setSelect({ left, top: 0, width: right - left, height: u.over.clientHeight }, false);
    }
    this.marking = false;
  }

  read(u) {
    const index = u.cursor.idx;
    if (index === null || index === undefined || index >= bins.count) {
      this.reading.textContent = "";
      return;
    }
    const values = this.series.map((each) => (each.values[index] === null ? "–" : this.format(each.values[index])));
    this.reading.textContent = `${timeText(bins.start + index * bins.width)}: ${values.join(" / ")}`;
  }
}

function drawPlots() {
  for (const plot of plots) plot.draw();
}
