// The page of `macmi reproduce`: figures and tables as src/experiments describes them.
import * as Plot from "@observablehq/plot";
import {data} from "./data.js";
import {el, section} from "./dom.js";
import {colour, figure, plotStyle} from "./figure.js";
import {list} from "./format.js";
import {table} from "./table.js";

/** Colours and shapes that tell methods apart on light and dark, and in print without colour. */
const hues = ["#0a7d4f", "#0a58a8", "#7a4fbf", "#c2410c", "#a3186c", "#6b7280", "#b8860b"];
const symbols = ["circle", "diamond", "square", "triangle", "star", "cross", "wye"];
const dashes = [null, "12,3", "7,3", "2,3", "7,3,2,3", "4,4", "1,4"];
const hue = (i) => hues[i % hues.length];

/** Line, symbol and name of each entry, below the drawing: part of the saved file too. */
function legendMarks(entries, width, top, perRow) {
  const step = (width - 70) / perRow;
  const at = (i) => ({x: (i % perRow) * step, y: top + Math.floor(i / perRow) * 20});
  return entries.flatMap((entry, i) => {
    const {x, y} = at(i);
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    group.setAttribute("transform", `translate(${60 + x},${y})`);
    const put = (tag, attributes, text) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      if (text) node.textContent = text;
      group.append(node);
    };
    put("line", {x1: 0, x2: 26, y1: 0, y2: 0, stroke: entry.stroke, "stroke-width": 2, "stroke-dasharray": entry.dash ?? "none"});
    if (entry.symbol) {
      const drawn = Plot.dot([[13, 0]], {r: 4, symbol: entry.symbol, fill: entry.stroke}).plot({axis: null, width: 26, height: 8, margin: 0, x: {domain: [0, 26]}, y: {domain: [-4, 4]}});
      const mark = drawn.querySelector("[aria-label=dot]");
      mark.setAttribute("transform", "translate(0,-4)");
      group.append(mark);
    }
    put("text", {x: 34, y: 4, "text-anchor": "start", fill: colour("ink"), "font-size": 12}, entry.label);
    return [() => group];
  });
}

/** A plot with its legend below. */
function plotWithLegend(width, {height, entries, perRow, marks, ...options}) {
  const legend = 20 * Math.ceil(entries.length / perRow) + 10;
  return Plot.plot({
    width,
    height: height + legend,
    marginLeft: 54,
    marginRight: 16,
    marginBottom: 46 + legend,
    style: plotStyle,
    ...options,
    marks: [...marks, ...legendMarks(entries, width, height + 8, perRow)],
  });
}

/** Means with bars, one line per method, the truth dashed. */
function lines(spec) {
  const shown = spec.series.map((series, i) => ({
    ...series,
    index: i,
    points: series.points.map(([x, y, low, high]) => ({x, y, low, high, label: series.label})),
  }));
  const truth = spec.truth.map(([x, y]) => ({x, y}));
  const xs = [...new Set(truth.map((p) => p.x))];
  const draw = (width) => {
    const perRow = width < 560 ? 2 : 4;
    const entries = [
      {label: "truth", stroke: colour("ink"), dash: "6,4"},
      ...shown.map((s) => ({label: s.label, stroke: hue(s.index), dash: dashes[s.index], symbol: symbols[s.index]})),
    ];
    return plotWithLegend(width, {
      height: Math.min(430, width * 0.7),
      entries,
      perRow,
      x: {type: spec.log_x ? "log" : "linear", domain: spec.log_x ? [xs[0] / 1.15, xs.at(-1) * 1.15] : [xs[0] - 0.02, xs.at(-1) + 0.02]},
      y: {label: spec.y, grid: true, labelArrow: "none"},
      marks: [
        // Texts of its own: the format of a logarithmic axis would leave some of them out.
        Plot.axisX(xs, {text: xs.map(String), label: spec.x, labelAnchor: "center", labelArrow: "none", labelOffset: 38}),
        Plot.line(truth, {x: "x", y: "y", stroke: colour("ink"), strokeDasharray: "6,4", strokeWidth: 2}),
        ...shown.map((s) => Plot.ruleX(s.points, {x: "x", y1: "low", y2: "high", stroke: hue(s.index), strokeWidth: 1.4})),
        ...shown.map((s) => Plot.line(s.points, {x: "x", y: "y", stroke: hue(s.index), strokeWidth: 2, strokeDasharray: dashes[s.index]})),
        ...shown.map((s) => Plot.dot(s.points, {x: "x", y: "y", fill: hue(s.index), r: 4, symbol: symbols[s.index], title: (p) => `${p.label}: ${p.y.toFixed(3)}`})),
      ],
    });
  };
  const last = shown.map((s) => `${s.label} ${s.points.map((p) => p.y.toFixed(2)).join(", ")}`);
  return figure({title: spec.title, alt: `Lines over ${spec.x}: truth ${truth.map((p) => p.y.toFixed(2)).join(", ")}; ${last.join("; ")}`, file: spec.file, note: spec.note, draw});
}

/** Samples coloured by a value, where given over a surface of the same scale. */
function scatter(spec) {
  const points = spec.x.map((x, i) => ({x, y: spec.y[i], value: spec.value[i]}));
  const domain = [Math.min(...spec.value), Math.max(...spec.value)];
  const draw = (width) =>
    Plot.plot({
      width,
      height: spec.square ? width : Math.min(width * 0.85, 420),
      aspectRatio: spec.square ? 1 : undefined,
      marginLeft: 54,
      marginBottom: 46,
      marginTop: 34,
      style: plotStyle,
      color: {scheme: "cividis", domain, clamp: true},
      x: {label: spec.x_label, labelAnchor: "center", labelArrow: "none", ticks: 5},
      y: {label: spec.y_label, labelArrow: "none", ticks: 5},
      marks: [
        spec.surface
          ? Plot.raster(spec.surface.mean, {x1: spec.surface.x[0], x2: spec.surface.x[1], y1: spec.surface.y[0], y2: spec.surface.y[1], width: spec.surface.columns, height: spec.surface.rows, opacity: 0.85})
          : null,
        Plot.dot(points, {x: "x", y: "y", fill: "value", r: 2.8, stroke: colour(spec.surface ? "ink" : "muted"), strokeWidth: 0.5, title: (p) => `${spec.value_label} ${p.value.toFixed(2)}`}),
      ],
    });
  return figure({title: spec.title, alt: `Scatter plot of ${points.length} samples coloured by ${spec.value_label}`, file: spec.file, note: spec.note, draw});
}

/** Receiver operating curves: one line per method. */
function roc(spec) {
  const shown = spec.curves.map((curve, index) => ({...curve, index, points: curve.points.map(([x, y]) => ({x, y, label: curve.label}))}));
  const draw = (width) => {
    const perRow = width < 560 ? 1 : 2;
    const entries = shown.map((c) => ({label: c.label, stroke: hue(c.index), dash: dashes[c.index]}));
    return plotWithLegend(width, {
      height: Math.min(420, width * 0.8),
      entries,
      perRow,
      x: {label: "Dependences called independent (false positive rate)", labelAnchor: "center", labelArrow: "none", labelOffset: 38, domain: [0, 1]},
      y: {label: "Independences found (true positive rate)", labelArrow: "none", domain: [0, 1], grid: true},
      marks: [
        Plot.line([[0, 0], [1, 1]], {stroke: colour("chance"), strokeDasharray: "3,3"}),
        ...shown.map((c) => Plot.line(c.points, {x: "x", y: "y", curve: "step-after", stroke: hue(c.index), strokeWidth: 2.2, strokeDasharray: dashes[c.index], title: "label"})),
      ],
    });
  };
  return figure({title: spec.title, alt: `Receiver operating curves. ${shown.map((c) => c.label).join("; ")}`, file: spec.file, note: spec.note, draw});
}

/** A graph with places given: nodes {name, x, y, member, target}, edges [from, to] by name. */
function dag(spec) {
  const place = new Map(spec.nodes.map((node) => [node.name, node]));
  const draw = (width) => {
    const scale = Math.min(110, (width - 80) / 4);
    return Plot.plot({
      width,
      height: scale * 3.2,
      margin: 34,
      style: plotStyle,
      x: {axis: null, domain: [0, 4]},
      y: {axis: null, domain: [0, 2]},
      marks: [
        Plot.arrow(spec.edges, {x1: (e) => place.get(e[0]).x, y1: (e) => place.get(e[0]).y, x2: (e) => place.get(e[1]).x, y2: (e) => place.get(e[1]).y, inset: 24, stroke: colour("ink"), strokeWidth: 1.6, headLength: 8}),
        Plot.dot(spec.nodes, {x: "x", y: "y", r: 22, fill: (n) => (n.target ? colour("ink") : n.member ? colour("adjacent") : colour("paper")), stroke: colour("ink"), strokeWidth: 1.6}),
        Plot.text(spec.nodes, {x: "x", y: "y", text: "name", fontWeight: 650, fontSize: 14, fill: (n) => (n.target || n.member ? colour("paper") : colour("ink"))}),
      ],
    });
  };
  const members = spec.nodes.filter((n) => n.member).map((n) => n.name);
  return figure({title: spec.title, alt: `Graph. ${spec.edges.map((e) => `${e[0]} to ${e[1]}`).join(", ")}. Markov blanket: ${list(members, 9)}`, file: spec.file, note: spec.note, draw});
}

const drawings = {lines, scatter, roc, dag};

document.getElementById("facts").append(el("strong", {}, data.facts[0]), ` · ${data.facts.slice(1).join(" · ")} · macmi ${data.version}`);
section("figures", "Figures", el("div", {class: "panels"}, data.figures.map((spec) => drawings[spec.type](spec))));
section(
  "tables",
  "Tables",
  data.tables.map((spec) =>
    table({
      caption: spec.title,
      rows: spec.rows,
      columns: spec.columns.map((label, c) => ({label, value: (row) => (row[c] !== "" && Number.isFinite(Number(row[c])) ? Number(row[c]) : row[c]), cell: (row) => row[c], numeric: spec.rows.every((row) => /^[-+]?[\d.]/.test(row[c]) || row[c] === "-" || row[c] === "")})),
    }),
  ),
);
document.documentElement.dataset.ready = "true";
