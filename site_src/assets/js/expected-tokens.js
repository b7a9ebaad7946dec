/**
 * The calculator of tokens per step and speed-up, on pages with `<div data-calculator="expected-tokens">`.
 *
 * The arithmetic is that of site_src/expected_tokens.py; tests/vectors/expected_tokens.json holds both to the same values. The form and all
 * its words come from a <template> of the page, in the page's language. What a reader types reaches the page as numbers only.
 */
(() => {
  "use strict";

  if (window.ledgermark.expectedTokens) return; // an instant navigation runs the script of a page again

  const LONGEST = 32;

  /** Acceptance of `count` positions, each given that the one before was accepted. */
  function decaying(first, decay, count) {
    return Array.from({ length: count }, (_, position) => first * decay ** position);
  }

  /** Share of all steps in which each position is accepted: the running product. */
  function reached(acceptance) {
    let product = 1;
    return acceptance.map((item) => (product *= item));
  }

  /** Tokens of a step: the target's own and those of the positions accepted. */
  function expectedTokens(shares) {
    return shares.reduce((sum, share) => sum + share, 1);
  }

  /** Cost of a step in ordinary steps. `costs`: {draft, row, parallel}. */
  function stepCost(count, costs) {
    return 1 + (costs.parallel ? Math.min(count, 1) : count) * costs.draft + count * costs.row;
  }

  function speedup(shares, costs) {
    return expectedTokens(shares) / stepCost(shares.length, costs);
  }

  /** The proposal length with the largest speed-up, the shortest among equals; 0 where none gains anything. */
  function bestLength(shares, costs) {
    let best = 0;
    for (let count = 1; count <= shares.length; count += 1) {
      if (speedup(shares.slice(0, count), costs) > speedup(shares.slice(0, best), costs)) best = count;
    }
    return best;
  }

  /** Returns a number as the page writes one, with that many decimals. */
  function written(value, places) {
    return value.toFixed(places).replace("-", "\u2212");
  }

  function fill(text, values) {
    return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  }

  /** Returns the shares a text lists, separated by commas or spaces; null where it is no such list. */
  function listed(text) {
    const parts = text.split(/[\s,;\uFF0C\u3001]+/).filter(Boolean);
    const values = parts.map((part) => (part.endsWith("%") ? Number(part.slice(0, -1)) / 100 : Number(part)));
    return values.length && values.length <= LONGEST && values.every((value) => value >= 0 && value <= 1) ? values : null;
  }

  class Calculator {
    constructor(form) {
      this.form = form;
      this.words = form.dataset;
      form.addEventListener("input", (event) => this.follow(event));
      form.addEventListener("change", (event) => this.follow(event));
      form.addEventListener("submit", (event) => event.preventDefault());
      this.given = this.field("given").value;
      this.showFields();
      this.compute();
      clearTimeout(this.timer); // what the page opens with is not said aloud
    }

    field(name) {
      return this.form.elements.namedItem(name);
    }

    part(name) {
      return this.form.querySelector(`[data-part="${name}"]`);
    }

    /** A list that has not been written yet begins with what the other fields say, so that changing the way of giving changes no result. */
    follow(event) {
      if (event.target.name === "given" && event.target.value !== this.given) {
        const before = this.shares(this.given);
        const list = this.field("list");
        if (before && this.field("given").value !== "decay") {
          const shares = before.slice(0, this.length() ?? before.length);
          const values = this.field("given").value === "log" ? shares : shares.map((share, at) => (at ? share / shares[at - 1] || 0 : share));
          list.value = values.map((value) => String(Number(value.toFixed(4)))).join(", ");
        }
        this.given = this.field("given").value;
        this.showFields();
      }
      this.compute();
    }

    showFields() {
      for (const part of this.form.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(this.given);
    }

    /** A number within a field's own limits, or null. */
    number(name) {
      const field = this.field(name);
      const value = field.valueAsNumber;
      return Number.isFinite(value) && value >= Number(field.min) && value <= Number(field.max) ? value : null;
    }

    length() {
      const value = this.number("length");
      return Number.isInteger(value) ? value : null;
    }

    /** Shares of all positions that are known, or null. */
    shares(given) {
      if (given === "decay") {
        const [first, decay] = [this.number("first"), this.number("decay")];
        return first === null || decay === null ? null : reached(decaying(first, decay, LONGEST));
      }
      const values = listed(this.field("list").value);
      return values && given === "each" ? reached(values) : values;
    }

    /** What is wrong with the entries: names of fields, and the sentence that says so. */
    faults(shares) {
      const wrong = ["length", "draft", "row"].filter((name) => (name === "length" ? this.length() : this.number(name)) === null);
      if (this.given === "decay") wrong.push(...["first", "decay"].filter((name) => this.number(name) === null));
      else if (!shares) wrong.push("list");
      if (wrong.length) return [wrong, this.words.wordRange];
      if (shares.some((share, at) => at && share > shares[at - 1])) return [["list"], this.words.wordRising];
      if (this.length() > shares.length) return [["length"], fill(this.words.wordShort, { count: shares.length })];
      return [[], ""];
    }

    compute() {
      const shares = this.shares(this.given);
      const [wrong, sentence] = this.faults(shares);
      for (const name of ["length", "draft", "row", "first", "decay", "list"]) {
        this.field(name).toggleAttribute("aria-invalid", false);
        if (wrong.includes(name)) this.field(name).setAttribute("aria-invalid", "true");
      }
      this.part("results").hidden = wrong.length > 0;
      this.part("fault").textContent = sentence;
      this.part("fault").hidden = !sentence;
      if (wrong.length) this.say(sentence);
      else this.show(shares);
    }

    show(shares) {
      const costs = { draft: this.number("draft"), row: this.number("row"), parallel: this.field("drafting").value === "parallel" };
      const count = this.length();
      const used = shares.slice(0, count);
      const best = bestLength(shares, costs);
      const times = (value) => fill(this.words.wordTimes, { value: written(value, 2) });
      const results = {
        tokens: written(expectedTokens(used), 2),
        cost: times(stepCost(count, costs)),
        speedup: times(speedup(used, costs)),
        best: best ? fill(this.words.wordBest, { count: best, value: times(speedup(shares.slice(0, best), costs)) }) : this.words.wordNone,
      };
      for (const [name, text] of Object.entries(results)) this.part(name).textContent = text;
      this.part("sum").textContent = this.sum(used, costs);
      this.part("rows").replaceChildren(...shares.map((_, at) => this.row(shares.slice(0, at + 1), costs, at + 1 === best)));
      this.say(fill(this.words.wordSaid, results));
    }

    /** The formula with the numbers put in. */
    sum(used, costs) {
      const terms = used.length > 4 ? [...used.slice(0, 2), null, used.at(-1)] : used;
      const tokens = ["1", ...terms.map((share) => (share === null ? "\u2026" : written(share, 3)))].join(" + ");
      const passes = costs.parallel ? 1 : used.length;
      return (
        `E = ${tokens} = ${written(expectedTokens(used), 3)}\n` +
        `C = 1 + ${passes} \u00d7 ${costs.draft} + ${used.length} \u00d7 ${costs.row} = ${written(stepCost(used.length, costs), 3)}\n` +
        `E / C = ${written(speedup(used, costs), 3)}`
      );
    }

    row(used, costs, best) {
      const row = document.createElement("tr");
      if (best) row.className = "is-best";
      for (const text of [
        String(used.length),
        fill(this.words.wordPercent, { value: written(100 * used.at(-1), 1) }),
        written(expectedTokens(used), 2),
        fill(this.words.wordTimes, { value: written(speedup(used, costs), 2) }),
      ]) {
        row.append(Object.assign(document.createElement("td"), { textContent: text }));
      }
      return row;
    }

    /** Says a result aloud when the reader pauses, not at each key. */
    say(text) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        if (this.part("said").textContent !== text) this.part("said").textContent = text;
      }, 400);
    }
  }

  window.ledgermark.expectedTokens = { decaying, reached, expectedTokens, stepCost, speedup, bestLength };
  window.ledgermark.onPage((page) => {
    const place = page?.querySelector('[data-calculator="expected-tokens"]');
    const template = document.getElementById("lm-expected-tokens");
    if (!place || !template || place.childElementCount) return;
    place.append(template.content.cloneNode(true));
    new Calculator(place.querySelector("form"));
  });
})();
