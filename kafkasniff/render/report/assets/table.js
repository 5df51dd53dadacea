// A table that sorts by any column, filters by text, shows a page at a time, and copies rows as commands.

let tables = 0;

class DataTable {
  // columns: {key, title, kind}; rows: objects, of `total` in the capture; command: gives the command of a row, or null.
  constructor({ caption, columns, rows, total, sort, descending = true, command = null, tool = null, pageRows = 12 }) {
    Object.assign(this, { caption, columns, command, descending, pageRows });
    this.id = `table-${(tables += 1)}`;
    this.sort = sort ?? null;
    this.page = 0;
    this.text = "";
    this.total = total;
    this.search = element("input", { type: "search", placeholder: "filter", "aria-label": `Filter ${caption}` });
    this.search.addEventListener("input", () => {
      this.text = this.search.value.toLowerCase();
      this.page = 0;
      this.show();
    });
    this.body = element("tbody");
    this.headings = columns.map((column) => this.heading(column));
    const head = element("tr", {}, ...this.headings, command ? element("td", { class: "print-hidden" }) : null);
    this.where = element("span", { class: "where", role: "status" });
    this.back = element("button", { "aria-label": `Previous rows of ${caption}`, onclick: () => this.turn(-1) }, "‹");
    this.forth = element("button", { "aria-label": `Next rows of ${caption}`, onclick: () => this.turn(1) }, "›");
    this.root = element(
      "div",
      { class: "table" },
      element("div", { class: "tools" }, element("h3", { id: this.id }, caption), tool, this.search, this.where, this.back, this.forth),
      element(
        "div",
        { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": this.id },
        element("table", { "aria-labelledby": this.id }, element("thead", {}, head), this.body),
      ),
    );
    this.rows = rows;
    this.isCut = total > rows.length;
    this.show();
  }

  heading(column) {
    const button = element("button", { onclick: () => this.sortBy(column) }, column.title);
    return element("th", { scope: "col", class: NUMBERS.has(column.kind) ? "number" : "" }, button);
  }

  sortBy(column) {
    const number = NUMBERS.has(column.kind) || column.kind === "time" || column.kind === "flag";
    this.descending = this.sort === column.key ? !this.descending : number;
    this.sort = column.key;
    this.page = 0;
    this.show();
  }

  turn(pages) {
    this.page += pages;
    this.show();
  }

  setRows(rows) {
    this.rows = rows;
    this.page = 0;
    this.show();
  }

  chosen() {
    let rows = this.rows;
    if (this.text) rows = rows.filter((row) => this.textOf(row).includes(this.text));
    if (this.sort === null) return rows;
    const sign = this.descending ? -1 : 1;
    const key = this.sort;
    return [...rows].sort((one, other) => {
      const [a, b] = [one[key], other[key]];
      // What is not known stands behind, in both directions.
      if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
      if (b === null || b === undefined) return -1;
      return sign * (a < b ? -1 : a > b ? 1 : 0);
    });
  }

  textOf(row) {
    return this.columns.map((column) => (row[column.key] === null ? "" : column.kind === "api" ? apiText(row[column.key]) : String(row[column.key]))).join("\n").toLowerCase();
  }

  show() {
    const rows = this.chosen();
    const pages = Math.max(Math.ceil(rows.length / this.pageRows), 1);
    this.page = Math.min(Math.max(this.page, 0), pages - 1);
    const first = this.page * this.pageRows;
    const shown = rows.slice(first, first + this.pageRows);
    this.body.replaceChildren(...shown.map((row) => this.row(row)));
    if (!shown.length) this.body.append(element("tr", {}, element("td", { colspan: this.columns.length + 1 }, "none")));
    this.columns.forEach((column, index) => {
      const sorted = this.sort === column.key;
      this.headings[index].setAttribute("aria-sort", sorted ? (this.descending ? "descending" : "ascending") : "none");
    });
    const of = this.text ? `${countText(rows.length)} of ${countText(this.rows.length)}` : countText(rows.length);
    // `kafkasniff sql` and `stats` have them all.
    const left = this.isCut ? `; the first of ${countText(this.total)}` : "";
    this.where.textContent = (rows.length ? `${countText(first + 1)}–${countText(first + shown.length)} of ${of}` : "none") + left;
    this.back.disabled = this.page === 0;
    this.forth.disabled = this.page === pages - 1;
  }

  row(row) {
    const cells = this.columns.map((column) => {
      const number = NUMBERS.has(column.kind);
      const kind = number ? "number" : column.kind === "time" ? "time" : "";
      const about = row.about && kind === "number" && column.key.startsWith("p");
      const text = row[column.key] === null && column.nothing ? column.nothing : cellText(about ? "about" : column.kind, row[column.key]);
      const cell = element("td", { class: kind }, name(text));
      if (column.shade) cell.classList.add(`shade-${column.shade(row[column.key])}`);
      if (column.warns && row[column.key]) cell.classList.add("bad");
      return cell;
    });
    const command = this.command && this.command(row);
    if (this.command) cells.push(element("td", { class: "print-hidden" }, command ? copyButton(command) : null));
    return element("tr", {}, ...cells);
  }
}
