/**
 * Figures: draws the charts that come near the window, in the theme's colours.
 *
 * The page carries a still picture and a table of each figure; the chart replaces the picture when it can. The chart library is asked for
 * once, when the first figure comes near, and never on a page without figures.
 */
(() => {
  "use strict";

  const { theme, paintTrace, paintLayout, swatch, slotColour } = window.ledgermark.paint;
  // Read now: the browser forgets which script runs as soon as it has run.
  const vendor = new URL("../vendor/", document.currentScript.src);
  const SAY_AFTER_MS = 120;
  const UNWANTED = [
    "sendChartToCloud",
    "select2d",
    "lasso2d",
    "autoScale2d",
    "zoomIn2d",
    "zoomOut2d",
    "pan2d",
    "zoom2d",
    "toggleSpikelines",
    "hoverClosestCartesian",
    "hoverCompareCartesian",
  ];

  /** Figures with a chart, by their <figure>. A figure that has left the document is purged at the next page. */
  const drawn = new Map();
  const scripts = new Map();
  let kept = null;

  /** Loads one script of our own, once. A failure is forgotten, so that a later figure may try again. */
  function load(url) {
    if (!scripts.has(url.href)) {
      scripts.set(
        url.href,
        new Promise((resolve, reject) => {
          const element = document.createElement("script");
          element.src = url.href;
          element.addEventListener("load", resolve);
          element.addEventListener("error", () => {
            scripts.delete(url.href);
            element.remove();
            reject(new Error(`${url.href} did not load`));
          });
          document.head.append(element);
        }),
      );
    }
    return scripts.get(url.href);
  }

  /**
   * Keeps the library's own style rules. It writes them into a <style> in the head as it loads, and an instant navigation sweeps away what the
   * next page's head does not have: every later chart would fall apart.
   */
  function keepStyles() {
    const style = document.getElementById("plotly.js-style-global");
    if (kept || !style?.sheet) return;
    kept = new CSSStyleSheet();
    kept.replaceSync([...style.sheet.cssRules].map((rule) => rule.cssText).join("\n"));
    document.adoptedStyleSheets.push(kept);
  }

  async function library(locale) {
    await load(new URL("plotly.min.js", vendor));
    keepStyles();
    if (!locale) return null;
    try {
      await load(new URL(`plotly-locale-${locale.toLowerCase()}.js`, vendor));
      return locale;
    } catch {
      return null; // English buttons on a chart are better than no chart.
    }
  }

  /** Everything Plotly needs to show the figure as it stands: theme, width and which series are on. */
  function scene(chart) {
    const colours = theme();
    const data = chart.spec.data.map((trace, index) => ({
      ...paintTrace(trace, colours),
      visible: chart.hidden.has(index) ? "legendonly" : true,
    }));
    return [data, paintLayout(chart.spec.layout, colours, chart.canvas.clientWidth)];
  }

  function addLegend(chart) {
    const legend = chart.figure.querySelector(".lm-figure__legend");
    const named = chart.spec.data.map((trace, index) => ({ trace, index })).filter(({ trace }) => trace.name && trace.showlegend !== false);
    chart.figure.classList.toggle("is-single", named.length < 2);
    if (!legend || named.length < 2) return;
    legend.replaceChildren(
      ...named.map(({ trace, index }) => {
        const pill = document.createElement("button");
        pill.type = "button";
        pill.className = "lm-pill";
        pill.setAttribute("aria-pressed", String(!chart.hidden.has(index)));
        if (slotColour(trace)) pill.style.setProperty("--lm-pill", slotColour(trace));
        pill.append(swatch(trace), document.createTextNode(trace.name));
        pill.addEventListener("click", () => {
          const hide = !chart.hidden.has(index);
          if (hide) chart.hidden.add(index);
          else chart.hidden.delete(index);
          pill.setAttribute("aria-pressed", String(!hide));
          repaint(chart);
        });
        return pill;
      }),
    );
  }

  /** Offers the figure's views as radio buttons. A view has the same series, so those that are put away stay away. */
  function addViews(chart) {
    const { view: name, data, layout, views } = chart.spec;
    if (!views?.length) return;
    const choices = [{ name, data, layout }, ...views].map((view, index) => {
      const label = document.createElement("label");
      const choice = Object.assign(document.createElement("input"), { type: "radio", name: `view-${chart.figure.id}`, checked: !index });
      choice.addEventListener("change", () => {
        Object.assign(chart.spec, { data: view.data, layout: view.layout });
        repaint(chart);
      });
      label.append(choice, document.createTextNode(view.name));
      return label;
    });
    chart.figure.querySelector(".lm-figure__views")?.replaceChildren(...choices);
  }

  function repaint(chart) {
    unhover(chart);
    const [data, layout] = scene(chart);
    return window.Plotly.react(chart.canvas, data, layout, chart.config);
  }

  /* Keys: left and right walk along a series, up and down change it, Escape lets go. What the label says is also said aloud. */

  function points(trace) {
    const values = trace.orientation === "h" ? trace.x : trace.y;
    return (values ?? []).map((value, index) => (value === null || value === undefined ? -1 : index)).filter((index) => index >= 0);
  }

  function announce(chart) {
    const lines = [...chart.canvas.querySelectorAll(".hoverlayer .hovertext text")].map((text) => {
      const rows = [...text.querySelectorAll("tspan.line")];
      return (rows.length ? rows : [text]).map((row) => row.textContent).join(", ");
    });
    if (chart.at) chart.said.textContent = lines.filter(Boolean).join("; ");
  }

  /** Shows the label of the point that the keys are at, and says it once the label is there: the library lets quick calls wait. */
  function hover(chart) {
    window.Plotly.Fx.hover(chart.canvas, [{ curveNumber: chart.at.trace, pointNumber: chart.at.point }]);
    clearTimeout(chart.timer);
    chart.timer = setTimeout(() => announce(chart), SAY_AFTER_MS);
  }

  function unhover(chart) {
    if (!chart.at) return;
    chart.at = null;
    chart.said.textContent = "";
    window.Plotly.Fx.unhover(chart.canvas);
  }

  function step(chart, key) {
    const traces = chart.spec.data
      .map((_, index) => index)
      .filter((index) => !chart.hidden.has(index) && points(chart.spec.data[index]).length);
    if (!traces.length) return false;
    const first = () => ({ trace: traces[0], point: points(chart.spec.data[traces[0]])[0] });
    if (!chart.at) {
      chart.at = first();
      return true;
    }
    const here = points(chart.spec.data[chart.at.trace]);
    const place = here.indexOf(chart.at.point);
    const row = traces.indexOf(chart.at.trace);
    const clamp = (value, length) => Math.max(0, Math.min(length - 1, value));
    const moves = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: here.length - 1 };
    if (key in moves) {
      chart.at.point = here[clamp(moves[key], here.length)];
    } else {
      const trace = traces[(row + (key === "ArrowDown" ? 1 : traces.length - 1)) % traces.length];
      const there = points(chart.spec.data[trace]);
      chart.at = { trace, point: there[clamp(place, there.length)] };
    }
    return true;
  }

  function onKey(event) {
    const plot = event.target instanceof Element ? event.target.closest(".lm-figure__plot") : null;
    const chart = plot && drawn.get(plot.closest(".lm-figure"));
    if (!chart || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") return void unhover(chart);
    if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
    if (!step(chart, event.key)) return;
    event.preventDefault();
    hover(chart);
  }

  /* Drawing, and letting go. */

  function failed(figure) {
    figure.classList.add("is-undrawn");
    const words = figure.closest(".lm-page")?.dataset.wordUndrawn;
    if (!words || figure.querySelector(".lm-figure__note")) return;
    const note = document.createElement("p");
    note.className = "lm-figure__note";
    note.setAttribute("role", "status");
    note.textContent = words;
    figure.querySelector(".lm-figure__plot").after(note);
  }

  async function draw(figure) {
    try {
      const response = await fetch(new URL(figure.dataset.src, document.baseURI));
      if (!response.ok) throw new Error(`${response.status} for ${response.url}`);
      const spec = await response.json();
      const locale = await library(spec.locale);
      if (!figure.isConnected || drawn.has(figure)) return;
      const plot = figure.querySelector(".lm-figure__plot");
      const canvas = document.createElement("div");
      canvas.className = "lm-figure__canvas";
      const said = document.createElement("div");
      said.className = "lm-sr";
      said.setAttribute("aria-live", "polite");
      plot.append(canvas, said);
      const config = { responsive: false, displaylogo: false, displayModeBar: "hover", modeBarButtonsToRemove: UNWANTED, doubleClick: false };
      if (locale) config.locale = locale; // "locale: undefined" throws.
      const hidden = new Set(spec.data.flatMap((trace, index) => (trace.visible === "legendonly" ? [index] : [])));
      const chart = { figure, canvas, said, spec, config, hidden, at: null, timer: 0, width: 0 };
      drawn.set(figure, chart);
      if (spec.layout?.height) plot.style.setProperty("--lm-plot-height", `${Number(spec.layout.height)}px`);
      figure.classList.add("is-drawn");
      if (spec.labels?.keys) plot.setAttribute("aria-description", spec.labels.keys);
      addViews(chart);
      addLegend(chart);
      const [data, layout] = scene(chart);
      await window.Plotly.newPlot(canvas, data, layout, config);
      sizes.observe(canvas);
    } catch (error) {
      console.warn("ledgermark: a figure stays a picture.", error);
      release(figure);
      failed(figure);
    }
  }

  function release(figure) {
    const chart = drawn.get(figure);
    if (!chart) return;
    sizes.unobserve(chart.canvas);
    window.Plotly?.purge(chart.canvas);
    chart.canvas.remove();
    chart.said.remove();
    figure.querySelector(".lm-figure__views")?.replaceChildren();
    figure.classList.remove("is-drawn");
    drawn.delete(figure);
  }

  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        near.unobserve(entry.target);
        draw(entry.target);
      }
    },
    { rootMargin: "400px 0px" },
  );

  const sizes = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const chart = drawn.get(target.closest(".lm-figure"));
      const width = Math.round(contentRect.width);
      if (!chart || !width || width === chart.width) continue;
      chart.width = width;
      requestAnimationFrame(() => chart.canvas.isConnected && repaint(chart));
    }
  });

  new MutationObserver(() => {
    for (const chart of drawn.values()) repaint(chart);
  }).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });

  document.addEventListener("keydown", onKey);
  document.addEventListener("focusout", (event) => {
    const chart = event.target instanceof Element && event.target.matches(".lm-figure__plot") && drawn.get(event.target.closest(".lm-figure"));
    if (chart) unhover(chart);
  });

  window.ledgermark.onPage((page) => {
    near.disconnect();
    for (const figure of [...drawn.keys()]) if (!figure.isConnected) release(figure);
    for (const figure of page?.querySelectorAll(".lm-figure[data-src]") ?? []) if (!drawn.has(figure)) near.observe(figure);
  });
})();
