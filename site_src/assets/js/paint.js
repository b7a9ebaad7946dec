/**
 * Paint: gives a figure the colours of the theme in force, and draws the small pictures of its legend.
 *
 * A figure file is written once, in the light palette, with the slot of each series in `meta.series`; the colours that are shown come from
 * the style sheet, so that a theme is defined in one place.
 */
(() => {
  "use strict";

  const SLOTS = [1, 2, 3, 4, 5, 6];
  const DASHES = { dash: "5 3", dot: "1.5 3", dashdot: "6 3 1.5 3", longdash: "9 3", longdashdot: "9 3 1.5 3" };
  const RISING = "M6 6l4-4M6 10l8-8M8 12l10-10M12 12l6-6M16 12l2-2";
  const FALLING = "M18 6l-4-4M18 10l-8-8M16 12L6 2M12 12L6 6M8 12l-2-2";
  const HATCHES = {
    "/": RISING,
    "\\": FALLING,
    x: RISING + FALLING,
    "-": "M6 5h12M6 9h12",
    "|": "M10 2v10M14 2v10",
    "+": "M6 7h12M10 2v10M14 2v10",
    ".": RISING,
  };
  const MARKS = {
    circle: "M12 4a3.2 3.2 0 1 0 .01 0Z",
    square: "M9 4.2h6v6h-6Z",
    diamond: "M12 3l4.2 4.2L12 11.4 7.8 7.2Z",
    "triangle-up": "M12 3.2l4 7H8Z",
    "triangle-down": "M12 11.2l4-7H8Z",
    cross: "M10.8 3.4h2.4v2.6h2.6v2.4h-2.6v2.6h-2.4V8.4H8.2V6h2.6Z",
    x: "M9 4.2l3 3 3-3M9 10.2l3-3 3 3",
  };

  /** Reads the theme in force: a look-up from the palette written in the figure to the colour to draw, and the colours of the frame. */
  function theme() {
    const style = getComputedStyle(document.body);
    const value = (name) => style.getPropertyValue(name).trim();
    return {
      series: SLOTS.map((slot) => value(`--lm-series-${slot}`)),
      ink: value("--lm-ink"),
      muted: value("--lm-muted"),
      grid: value("--lm-grid"),
      edge: value("--lm-edge"),
      raised: value("--lm-raised"),
      font: getComputedStyle(document.querySelector(".lm-figure") ?? document.body).fontFamily,
    };
  }

  /** Returns a copy of `value` in which each colour string that is `from` has become `to`. */
  function recolour(value, from, to) {
    if (value === from) return to;
    if (Array.isArray(value)) return value.map((item) => recolour(item, from, to));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, recolour(item, from, to)]));
    }
    return value;
  }

  /** The colour a trace was written in: its line's, else its markers'. */
  function written(trace) {
    const candidates = [trace.line?.color, trace.marker?.color, trace.marker?.line?.color];
    return candidates.find((colour) => typeof colour === "string") ?? null;
  }

  function paintTrace(trace, colours) {
    const slot = trace.meta?.series;
    if (!SLOTS.includes(slot)) return { ...trace };
    const colour = colours.series[slot - 1];
    const from = written(trace);
    const painted = from ? recolour(trace, from, colour) : structuredClone(trace);
    painted.marker = { ...painted.marker, color: painted.marker?.color ?? colour };
    if (trace.type === "scatter") painted.line = { ...painted.line, color: painted.line?.color ?? colour };
    return painted;
  }

  function paintAxis(axis, colours) {
    const colour = { gridcolor: colours.grid, zerolinecolor: colours.edge, linecolor: colours.edge, tickcolor: colours.edge };
    return {
      automargin: true,
      fixedrange: true,
      ...axis,
      ...colour,
      tickfont: { ...axis.tickfont, color: colours.muted },
      title: typeof axis.title === "object" ? { ...axis.title, font: { size: 12.5, ...axis.title.font, color: colours.muted } } : axis.title,
    };
  }

  function paintLayout(layout, colours, width) {
    const painted = { ...structuredClone(layout) };
    for (const key of Object.keys(painted)) {
      if (/^[xy]axis[0-9]*$/.test(key)) painted[key] = paintAxis(painted[key], colours);
    }
    for (const note of painted.annotations ?? []) note.font = { ...note.font, color: colours.muted };
    for (const shape of painted.shapes ?? []) shape.line = { ...shape.line, color: colours.edge };
    return {
      ...painted,
      autosize: true,
      showlegend: false,
      dragmode: false,
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      colorway: colours.series,
      margin: { l: 48, r: 14, t: 10, b: 44, ...painted.margin },
      font: { size: width < 480 ? 11 : 12.5, ...painted.font, color: colours.ink, family: colours.font },
      hoverlabel: {
        align: "left",
        ...painted.hoverlabel,
        bgcolor: colours.raised,
        bordercolor: colours.edge,
        font: { color: colours.ink, family: colours.font, size: 12.5 },
      },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colours.muted, activecolor: colours.ink },
    };
  }

  function svg(name, attributes) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  /** A small picture of the series: its line as it is dashed and its mark as it is shaped, or a block for a bar. */
  function swatch(trace) {
    const picture = svg("svg", { viewBox: "0 0 24 14", "aria-hidden": "true", focusable: "false" });
    if (trace.type === "bar") {
      const hatch = HATCHES[trace.marker?.pattern?.shape];
      picture.append(svg("rect", { x: 6, y: 2, width: 12, height: 10, fill: hatch ? "none" : "currentColor", stroke: "currentColor" }));
      if (hatch) picture.append(svg("path", { d: hatch, stroke: "currentColor", "stroke-width": 1.2 }));
      return picture;
    }
    const mode = trace.mode ?? "lines+markers";
    if (mode.includes("lines")) {
      picture.append(
        svg("path", {
          d: "M0 7.2H24",
          stroke: "currentColor",
          "stroke-width": 2,
          fill: "none",
          "stroke-dasharray": DASHES[trace.line?.dash] ?? "none",
        }),
      );
    }
    if (mode.includes("markers")) {
      const symbol = String(trace.marker?.symbol ?? "circle");
      const open = symbol.endsWith("-open") || symbol === "x";
      const fill = symbol.endsWith("-open") ? "var(--lm-raised)" : symbol === "x" ? "none" : "currentColor";
      picture.append(
        svg("path", { d: MARKS[symbol.replace(/-open$/, "")] ?? MARKS.circle, fill, stroke: "currentColor", "stroke-width": open ? 1.6 : 0 }),
      );
    }
    return picture;
  }

  /** The colour of a trace's slot as a CSS value that follows the theme, or null. */
  function slotColour(trace) {
    return SLOTS.includes(trace.meta?.series) ? `var(--lm-series-${trace.meta.series})` : null;
  }

  window.ledgermark.paint = { theme, paintTrace, paintLayout, swatch, slotColour };
})();
