/**
 * Evidence: shows what a number in the prose stands on.
 *
 * The words and rows come from one file per page, fetched when a number is first asked about. Everything in it may be hostile data, so it
 * reaches the page as text only, and an address becomes a link only when it is http or https.
 */
(() => {
  "use strict";

  const ASK = ".lm-claim[data-claim], .lm-given[data-given]";
  const OPEN_AFTER_MS = 300;
  const CLOSE_AFTER_MS = 250;
  const GAP_PX = 8;

  const files = new Map();
  let card = null;
  let asked = null;
  let timer = 0;

  /** Returns a new element with a class and children; strings become text. */
  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  }

  function link(text, url) {
    let parsed = null;
    try {
      parsed = url ? new URL(url, document.baseURI) : null;
    } catch {
      parsed = null;
    }
    if (!parsed || !["http:", "https:"].includes(parsed.protocol)) return document.createTextNode(text);
    const anchor = make("a", "", text);
    anchor.href = parsed.href;
    return anchor;
  }

  function read(url) {
    if (!files.has(url)) {
      const promise = fetch(url).then((response) => {
        if (!response.ok) throw new Error(`${response.status} for ${url}`);
        return response.json();
      });
      promise.catch(() => files.delete(url));
      files.set(url, promise);
    }
    return files.get(url);
  }

  /** Where a row stands: its line on the page of its data set, and in the file at the commit, as far as either is there. */
  function placeOf(name, input, labels, page) {
    const place = make("code", "", link(`${name}:${input.line}`, page ? `${page}#row-${input.line}` : input.url));
    return page && input.url ? make("td", "", place, " ", link(labels.source, input.url)) : make("td", "", place);
  }

  /** Rows of one file as a table. Columns that say the same in every row, and were not used, go into a line above it. */
  function rowsOf(name, inputs, labels, page) {
    const columns = [...new Set(inputs.flatMap((input) => Object.keys(input.row)))];
    const used = new Set(inputs.flatMap((input) => input.used));
    const same = columns.filter((column) => !used.has(column) && inputs.every((input) => input.row[column] === inputs[0].row[column]));
    // What the number was made from comes first: on a narrow card the rest lies beyond the edge.
    const shown = columns.filter((column) => !same.includes(column)).sort((a, b) => used.has(b) - used.has(a));
    const cell = (tag, column, text) => make(tag, used.has(column) ? "is-used" : "", text);
    const head = make("tr", "", make("th", "", labels.file), ...shown.map((column) => cell("th", column, column)));
    const body = inputs.map((input) => {
      return make("tr", "", placeOf(name, input, labels, page), ...shown.map((column) => cell("td", column, String(input.row[column] ?? ""))));
    });
    const block = make("div", "lm-evidence-card__file");
    if (same.length) block.append(make("p", "lm-evidence-card__same", same.map((column) => `${column}: ${inputs[0].row[column]}`).join(" · ")));
    const scroll = make("div", "lm-evidence-card__scroll", make("table", "", make("thead", "", head), make("tbody", "", ...body)));
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", `${labels.inputs}: ${name}`);
    block.append(scroll);
    return block;
  }

  function claimParts(claim, evidence) {
    const { labels } = evidence;
    const facts = make("dl", "");
    const fact = (label, ...value) => facts.append(make("dt", "", label), make("dd", "", ...value));
    if (claim.formula) fact(labels.formula, make("code", "", claim.formula));
    if (claim.state_label) {
      const badge = make("span", "lm-badge", claim.state_label);
      badge.classList.add(`lm-badge--${String(claim.badge).replace(/[^a-z-]/g, "")}`);
      fact(labels.state, badge);
    }
    if (claim.command) fact(labels.command, make("code", "", claim.command));
    if (evidence.commit) fact(labels.commit, make("code", "", link(String(evidence.commit), evidence.commit_url)));
    const inputs = claim.inputs.map((input) => ({ ...evidence.rows[input.at], used: input.used }));
    const byFile = groupBy(inputs, (input) => input.file);
    return [
      make("p", "lm-evidence-card__value", (claim.values ?? []).join(", ")),
      ...(claim.note ? [make("p", "lm-evidence-card__note", claim.note)] : []),
      facts,
      ...[...byFile].map(([name, inputs]) => rowsOf(name, inputs, labels, Object.hasOwn(evidence.pages ?? {}, name) ? evidence.pages[name] : null)),
    ];
  }

  function groupBy(items, key) {
    const groups = new Map();
    for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
    return groups;
  }

  function fill(title, ...parts) {
    const words = asked.closest(".lm-page")?.dataset ?? {};
    const heading = make("p", "lm-evidence-card__title", title);
    heading.id = "lm-evidence-title";
    const close = make("button", "lm-evidence-card__close", "×");
    close.type = "button";
    close.setAttribute("aria-label", words.wordClose ?? "×");
    close.addEventListener("click", () => dismiss(true));
    const focused = card.contains(document.activeElement);
    card.replaceChildren(make("div", "lm-evidence-card__head", heading, close), ...parts);
    place();
    if (focused) close.focus({ preventScroll: true });
  }

  /** Below the number where there is room, else above; never outside the window's width. */
  function place() {
    const box = asked.getClientRects()[0];
    if (!box) return;
    const width = document.documentElement.clientWidth;
    const left = Math.max(GAP_PX, Math.min(box.left - GAP_PX, width - card.offsetWidth - GAP_PX));
    const below = box.bottom + GAP_PX;
    const above = box.top - GAP_PX - card.offsetHeight;
    const bar = document.querySelector(".md-header")?.offsetHeight ?? 0;
    const fits = below + card.offsetHeight <= window.innerHeight || above < bar;
    card.style.left = `${left + window.scrollX}px`;
    card.style.top = `${(fits ? below : above) + window.scrollY}px`;
  }

  async function show(element, takeFocus) {
    clearTimeout(timer);
    if (asked === element) {
      if (takeFocus) card.querySelector("button")?.focus({ preventScroll: true });
      return;
    }
    dismiss(false);
    const page = element.closest(".lm-page");
    const words = page?.dataset ?? {};
    asked = element;
    element.setAttribute("aria-expanded", "true");
    card = make("div", element.matches(".lm-given") ? "lm-evidence-card lm-evidence-card--source" : "lm-evidence-card");
    card.setAttribute("role", "dialog");
    card.setAttribute("aria-labelledby", "lm-evidence-title");
    document.body.append(card);
    if (element.matches(".lm-given")) {
      fill(words.wordSource ?? "", make("p", "", element.dataset.given));
    } else {
      fill(words.wordLoading ?? "…");
    }
    if (takeFocus) card.querySelector("button").focus({ preventScroll: true });
    if (element.matches(".lm-given")) return;
    try {
      const evidence = await read(new URL(page.dataset.evidence, document.baseURI).href);
      if (asked !== element) return;
      const claim = Object.hasOwn(evidence.claims, element.dataset.claim) ? evidence.claims[element.dataset.claim] : null;
      if (!claim) throw new Error(`no evidence for ${element.dataset.claim}`);
      fill(claim.sentence, ...claimParts(claim, evidence));
    } catch (error) {
      console.warn("ledgermark:", error);
      if (asked === element) fill(words.wordFailed ?? "…");
    }
  }

  function dismiss(returnFocus) {
    clearTimeout(timer);
    if (!card) return;
    const element = asked;
    const held = card.contains(document.activeElement);
    element.removeAttribute("aria-expanded");
    card.remove();
    card = null;
    asked = null;
    if (returnFocus || held) element.focus({ preventScroll: true });
  }

  const target = (event) => (event.target instanceof Element ? event.target.closest(ASK) : null);
  const inCard = (event) => card !== null && event.target instanceof Node && card.contains(event.target);

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const element = target(event);
    clearTimeout(timer);
    if (element && element !== asked) timer = setTimeout(() => show(element, false), OPEN_AFTER_MS);
    else if (!element && !inCard(event) && card && !card.contains(document.activeElement))
      timer = setTimeout(() => dismiss(false), CLOSE_AFTER_MS);
  });

  document.addEventListener("click", (event) => {
    const element = target(event);
    if (element) {
      event.preventDefault();
      show(element, true);
    } else if (!inCard(event)) {
      dismiss(false);
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && card) {
      event.stopPropagation();
      dismiss(false);
    } else if ((event.key === "Enter" || event.key === " ") && target(event) === event.target) {
      event.preventDefault();
      show(event.target, true);
    }
  });

  document.addEventListener("focusin", (event) => {
    if (card && !inCard(event) && event.target !== asked) dismiss(false);
  });

  window.addEventListener("resize", () => card && place());
  window.ledgermark.onPage(() => dismiss(false));
})();
