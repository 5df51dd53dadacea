// A map of values over time: a line for each name, a column for each bin, the colour on a logarithmic scale.

const LINES_SHOWN = 24;

class Heatmap {
  // lines: [{name, values, weight}], the heaviest first; format: a value as text; scale: the names of its ends.
  constructor({ title, lines, grid, format, unit }) {
    Object.assign(this, { title, lines, grid, format, page: 0, at: null });
    const found = lines.flatMap((line) => line.values).filter((value) => value > 0);
    this.low = found.length ? found.reduce((a, b) => Math.min(a, b)) : 1;
    this.high = found.length ? found.reduce((a, b) => Math.max(a, b)) : 1;
    this.reading = element("span", { class: "reading", role: "status" });
    this.names = element("ol", { class: "names" });
    this.canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": `${title}: arrows move, Enter chooses the time` });
    this.where = element("span", { class: "where" });
    this.back = element("button", { "aria-label": `Previous lines of ${title}`, onclick: () => this.turn(-1) }, "‹");
    this.forth = element("button", { "aria-label": `Next lines of ${title}`, onclick: () => this.turn(1) }, "›");
    const low = this.low < this.high ? format(this.low) : null;
    const key = element("span", { class: "scale" }, low, element("span", { class: low ? "ramp" : "key hot", "aria-hidden": "true" }), format(this.high), ` ${unit}`);
    this.root = element(
      "figure",
      { role: "group", "aria-label": `${title} over time` },
      element("figcaption", {}, element("h3", {}, title), key, this.reading, this.where, this.back, this.forth),
      element("div", { class: "map" }, this.names, this.canvas),
    );
    this.canvas.addEventListener("mousemove", (event) => this.point(event));
    this.canvas.addEventListener("mouseleave", () => this.say(null));
    this.canvas.addEventListener("click", (event) => this.point(event) && this.take());
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    plots.push(this);
    span.listeners.push(() => this.draw());
  }

  turn(pages) {
    this.page += pages;
    this.draw();
  }

  draw() {
    const pages = Math.ceil(this.lines.length / LINES_SHOWN);
    const first = this.page * LINES_SHOWN;
    this.shown = this.lines.slice(first, first + LINES_SHOWN);
    this.where.textContent = pages > 1 ? `${countText(first + 1)}–${countText(first + this.shown.length)} of ${countText(this.lines.length)}` : "";
    this.back.hidden = this.forth.hidden = pages < 2;
    this.back.disabled = this.page === 0;
    this.forth.disabled = this.page >= pages - 1;
    this.names.replaceChildren(...this.shown.map((line) => element("li", { title: printable(line.name) }, name(line.name))));
    // On a narrow screen a name may take two lines.
    this.line = this.names.firstElementChild?.offsetHeight ?? 0;
    const width = Math.max(this.canvas.parentElement.clientWidth - this.names.clientWidth - 8, 100);
    const scale = devicePixelRatio || 1;
    const height = this.shown.length * this.line;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    const [ground, hot] = [colour("cold"), colour("hot")];
    const step = width / this.grid.count;
    const outside = (bin) => !isWithin(this.grid.start + bin * this.grid.width, this.grid.start + (bin + 1) * this.grid.width - 1e-3);
    this.shown.forEach((line, index) => {
      context.globalAlpha = 1;
      context.fillStyle = ground;
      context.fillRect(0, index * this.line + 1, width, this.line - 2);
      context.fillStyle = hot;
      line.values.forEach((value, bin) => {
        if (!(value > 0)) return;
        const part = this.high > this.low ? Math.log(value / this.low) / Math.log(this.high / this.low) : 1;
        context.globalAlpha = (0.12 + 0.88 * part) * (outside(bin) ? 0.25 : 1);
        context.fillRect(bin * step, index * this.line + 1, Math.max(step, 1), this.line - 2);
      });
    });
    if (this.at && document.activeElement === this.canvas) {
      context.globalAlpha = 1;
      context.strokeStyle = colour("text");
      context.strokeRect(this.at[1] * step, this.at[0] * this.line + 1, Math.max(step, 3), this.line - 2);
    }
  }

  point(event) {
    const line = Math.floor(event.offsetY / this.line);
    const bin = Math.floor((event.offsetX / this.canvas.clientWidth) * this.grid.count);
    return this.say(line < this.shown.length && bin >= 0 && bin < this.grid.count ? [line, bin] : null);
  }

  say(at) {
    this.at = at;
    if (at) {
      const value = this.shown[at[0]].values[at[1]];
      const time = timeText(this.grid.start + at[1] * this.grid.width);
      this.reading.textContent = `${time} ${printable(this.shown[at[0]].name)}: ${value > 0 ? this.format(value) : "–"}`;
    } else this.reading.textContent = "";
    return at !== null;
  }

  take() {
    const from = this.grid.start + this.at[1] * this.grid.width;
    chooseAround(from, from + this.grid.width);
  }

  key(event) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.key === "Enter" && this.at) this.take();
    else if (moves[event.key]) {
      const [line, bin] = this.at ?? [0, 0];
      const [down, right] = this.at ? moves[event.key] : [0, 0];
      const within = (value, count) => Math.min(Math.max(value, 0), count - 1);
      this.say([within(line + down, this.shown.length), within(bin + right, this.grid.count)]);
      this.draw();
      event.preventDefault();
    }
  }
}

// Lines of a map from cells: one for each of `keys`' values, with `column` of each bin.
function mapLines(cells, keys, column) {
  const table = data.tables[cells];
  const places = keys.map((key) => indexOf(table, key));
  const [bin, value, calls] = [indexOf(table, "bin"), indexOf(table, column), indexOf(table, "calls")];
  const found = new Map();
  for (const row of table.rows) {
    const title = places.map((place, index) => cellText(keys[index] === "api_name" ? "api" : "text", row[place])).join("  ");
    if (!found.has(title)) found.set(title, { name: title, values: new Array(table.bins.count).fill(null), weight: 0 });
    const line = found.get(title);
    line.values[row[bin]] = row[value];
    line.weight += row[calls];
  }
  return [...found.values()].sort((one, other) => other.weight - one.weight);
}
