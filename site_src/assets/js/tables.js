/**
 * Tables of data: all rows of a dataset, to sort, filter and page through, and to be sent to a single one by `#row-14`.
 *
 * The page holds the first rows as plain HTML. The rest is the CSV file itself, fetched when a reader first asks for more than that; without
 * scripts, or when it cannot be had, the plain table stays. Whatever is in it may be hostile, so it reaches the page as text only.
 */
(() => {
  "use strict";

  const SIZES = [20, 100, 500];
  const WAIT_MS = 150;
  const NUMERIC = new Set(["line", "integer", "number"]);
  // As in datarows.py: what is not seen, or turns what is seen round, is written out.
  // eslint-disable-next-line no-control-regex
  const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
  const TERM = /(?:[^\s"]|"[^"]*")+/g;
  const COMPARISON = /^([^=<>!]+)(<=|>=|!=|=|<|>)(.*)$/s;

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
  const visible = (text) => text.replace(HIDDEN, (mark) => `⟨U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

  /** Records of a CSV file, each with the line it begins on; lines without anything are none, as for the program that checks the file. */
  function parse(text) {
    const records = [];
    let cells = [];
    let cell = "";
    let quoted = false;
    let touched = false;
    let line = 1;
    let began = 1;
    const end = () => {
      if (touched || cells.length) records.push({ line: began, cells: [...cells, cell] });
      cells = [];
      cell = "";
      touched = false;
    };
    for (let at = 0; at < text.length; at += 1) {
      const char = text[at];
      const newline = char === "\n" || char === "\r";
      const both = char === "\r" && text[at + 1] === "\n";
      if (newline) line += 1;
      if (quoted) {
        if (char !== '"') cell += both ? "\r\n" : char;
        else if (text[at + 1] === '"') cell += text[(at += 1)];
        else quoted = false;
      } else if (char === '"') {
        quoted = touched = true;
      } else if (char === ",") {
        cells.push(cell);
        cell = "";
        touched = true;
      } else if (newline) {
        end();
        began = line;
      } else {
        cell += char;
        touched = true;
      }
      if (both) at += 1;
    }
    end();
    return records;
  }

  /** What a filter asks of a row: each word somewhere in it, each comparison of its column. */
  function conditions(query, columns, place) {
    return (query.match(TERM) ?? []).map((term) => {
      const [, name, sign, raw] = COMPARISON.exec(term) ?? [];
      if (name === undefined || !place.has(name)) {
        const word = term.replaceAll('"', "").toLowerCase();
        return (row) => row.text.includes(word);
      }
      const at = place.get(name);
      const wanted = raw.replaceAll('"', "");
      const numeric = NUMERIC.has(columns.get(name)) && wanted.trim() !== "" && !Number.isNaN(Number(wanted));
      return (row) => {
        const cell = row.cells[at];
        if (numeric && cell.trim() === "") return sign === "!=";
        const [one, two] = numeric ? [Number(cell), Number(wanted)] : [cell, wanted];
        switch (sign) {
          case "=":
            return one === two;
          case "!=":
            return one !== two;
          case "<":
            return one < two;
          case ">":
            return one > two;
          case "<=":
            return one <= two;
          default:
            return one >= two;
        }
      };
    });
  }

  class DataTable {
    constructor(block) {
      this.block = block;
      this.words = JSON.parse(block.dataset.words);
      this.body = block.querySelector("tbody");
      this.heads = [...block.querySelectorAll("thead th")];
      this.status = block.querySelector(".lm-data__status");
      this.types = new Map(this.heads.map((head) => [head.dataset.column ?? "", head.dataset.type]));
      this.rows = null;
      this.query = "";
      this.sorted = null;
      this.start = 0;
      // A short table stands there whole.
      this.size = Math.max(SIZES[0], this.body.rows.length);
      this.collator = new Intl.Collator(document.documentElement.lang || undefined, { numeric: true });
      this.addControls();
    }

    addControls() {
      const { words } = this;
      const hint = make("span", { class: "lm-data__hint", id: `${this.block.id || "lm-data"}-hint` }, words.hint);
      this.input = make("input", { type: "search", autocomplete: "off", spellcheck: "false", "aria-describedby": hint.id });
      let timer = 0;
      this.input.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.change({ query: this.input.value, start: 0 }), WAIT_MS);
      });
      const filter = make("label", { class: "lm-data__filter" }, make("span", {}, words.filter), this.input);
      this.block.querySelector(".lm-data__scroll").before(make("div", { class: "lm-data__tools" }, filter, hint));
      this.previous = make("button", { type: "button" }, words.previous);
      this.next = make("button", { type: "button" }, words.next);
      this.previous.addEventListener("click", () => this.change({ start: Math.max(this.start - this.size, 0) }));
      this.next.addEventListener("click", () => this.change({ start: this.start + this.size }));
      this.pick = make("select", {}, ...SIZES.map((size) => make("option", { value: String(size) }, String(size))));
      this.pick.addEventListener("change", () => this.change({ size: Number(this.pick.value), start: 0 }));
      const pager = make("div", { class: "lm-data__pager", role: "group", "aria-label": words.pages }, this.previous, this.next);
      const size = make("label", { class: "lm-data__size" }, make("span", {}, words.size), this.pick);
      this.foot = make("div", { class: "lm-data__foot" }, pager, size);
      this.foot.hidden = Number(this.block.dataset.count) <= this.size;
      this.block.append(this.foot);
      for (const head of this.heads) {
        const button = make("button", { type: "button", class: "lm-data__sort" }, ...head.childNodes);
        button.addEventListener("click", () => this.sortBy(head));
        head.append(button);
      }
      this.enable(Number(this.block.dataset.count));
    }

    /** The rows, fetched once; null when they cannot be had, which the table then says. */
    async load() {
      if (this.rows) return this.rows;
      this.status.textContent = this.words.loading;
      try {
        this.promise ??= fetch(new URL(this.block.dataset.src, document.baseURI)).then((response) => {
          if (!response.ok) throw new Error(`${response.status} for ${response.url}`);
          return response.text();
        });
        const [header, ...records] = parse(await this.promise);
        this.place = new Map(header.cells.map((name, at) => [name, at]));
        for (const head of this.heads) {
          const name = head.dataset.column;
          if (name !== undefined && !this.place.has(name)) throw new Error(`no column ${name}`);
        }
        this.columns = new Map([...this.place.keys()].map((name) => [name, this.types.get(name) ?? "string"]));
        this.rows = records.map(({ line, cells }) => ({ line, cells, text: cells.join("\n").toLowerCase() }));
        this.shown = this.rows;
      } catch (error) {
        console.warn("ledgermark:", error);
        this.promise = null;
        this.status.textContent = this.words.failed;
      }
      return this.rows;
    }

    async change(changes) {
      if (!(await this.load())) return;
      Object.assign(this, changes);
      this.arrange();
      this.draw();
    }

    sortBy(head) {
      const column = head.dataset.column ?? "";
      const before = this.sorted?.column === column ? this.sorted : null;
      // Up, down, and back to the order of the file.
      this.change({ sorted: before ? (before.up ? { column, up: false } : null) : { column, up: true }, start: 0 });
    }

    arrange() {
      const asked = conditions(this.query, this.columns, this.place);
      const rows = this.rows.filter((row) => asked.every((holds) => holds(row)));
      const sorted = this.sorted;
      if (sorted) {
        const at = this.place.get(sorted.column);
        const numeric = NUMERIC.has(this.types.get(sorted.column));
        const value = (row) => (at === undefined ? row.line : numeric ? Number.parseFloat(row.cells[at]) : row.cells[at]);
        const lacks = (one) => one === "" || Number.isNaN(one);
        const keyed = rows.map((row) => [value(row), row]);
        keyed.sort(([one, first], [two, second]) => {
          // What is empty comes last, whichever way.
          if (lacks(one) || lacks(two)) return lacks(one) - lacks(two) || first.line - second.line;
          const order = numeric ? one - two : this.collator.compare(one, two);
          return (sorted.up ? order : -order) || first.line - second.line;
        });
        this.shown = keyed.map(([, row]) => row);
      } else {
        this.shown = rows;
      }
      this.start = Math.min(this.start, Math.max(Math.ceil(this.shown.length / this.size) - 1, 0) * this.size);
    }

    draw() {
      const page = this.shown.slice(this.start, this.start + this.size);
      this.body.replaceChildren(...page.map((row) => this.row(row)));
      for (const head of this.heads) {
        if (this.sorted?.column === (head.dataset.column ?? "")) head.setAttribute("aria-sort", this.sorted.up ? "ascending" : "descending");
        else head.removeAttribute("aria-sort");
      }
      const values = { first: this.start + 1, last: this.start + page.length, count: this.rows.length, matching: this.shown.length };
      const all = this.shown.length === this.rows.length;
      this.status.textContent = fill(page.length ? (all ? this.words.range : this.words.matching) : this.words.none, values);
      this.enable(this.shown.length);
    }

    enable(count) {
      this.previous.disabled = this.start === 0;
      this.next.disabled = this.start + this.size >= count;
    }

    row(row) {
      const name = `row-${row.line}`;
      const line = make("th", { scope: "row" }, make("a", { href: `#${name}` }, String(row.line)));
      const cells = this.heads
        .filter((head) => head.dataset.column !== undefined)
        .map((head) => {
          const text = row.cells[this.place.get(head.dataset.column)] ?? "";
          return make("td", NUMERIC.has(head.dataset.type) ? { class: "is-number" } : {}, visible(text) || this.words.empty);
        });
      return make("tr", { id: name }, line, ...cells);
    }

    /** Shows the row that begins on a line, wherever it is. */
    async show(line) {
      const name = `row-${line}`;
      let row = document.getElementById(name);
      if (!row) {
        if (!(await this.load())) return;
        if (!this.rows.some((one) => one.line === line)) {
          this.status.textContent = fill(this.words.lost, { line });
          return;
        }
        this.arrange();
        if (!this.shown.some((one) => one.line === line)) {
          this.query = this.input.value = "";
          this.arrange();
        }
        const at = this.shown.findIndex((one) => one.line === line);
        this.start = Math.floor(at / this.size) * this.size;
        this.draw();
        row = document.getElementById(name);
      }
      for (const other of this.body.querySelectorAll(".is-target")) other.classList.remove("is-target");
      row.classList.add("is-target");
      row.tabIndex = -1;
      row.focus({ preventScroll: true });
      row.scrollIntoView({ block: "center", inline: "nearest" });
    }
  }

  let tables = [];

  function follow() {
    const [, line] = /^#row-([0-9]+)$/.exec(window.location.hash) ?? [];
    if (line && tables.length) tables[0].show(Number(line));
  }

  window.addEventListener("hashchange", follow);
  window.ledgermark.onPage((page) => {
    tables = [...(page?.querySelectorAll(".lm-data[data-src]") ?? [])].map((block) => new DataTable(block));
    follow();
  });
})();
