// Draws what the feature maps have learned, and how their training went.
import * as Plot from "@observablehq/plot";
import {el} from "./dom.js";
import {colour, figure, plotStyle} from "./figure.js";
import {count, shortened} from "./format.js";

/** −½ … ½, the same for the same sample: spreads the points of a class. */
const jitter = (i) => ((i * 0.618034) % 1) - 0.5;

const classScale = (classes) => ({domain: classes, type: "ordinal", scheme: "cividis"});

function mapPanel(data, map) {
  const dimensions = map.coordinates.length;
  const classes = map.classes;
  const target = shortened(data.target, 24);
  const label = (i) => (classes ? classes[map.target[i]] : map.target[i]);
  const points = map.target.map((value, i) => ({
    x: map.coordinates[0][i],
    y: dimensions > 1 ? map.coordinates[1][i] : classes ? value + 0.7 * jitter(i) : value,
    value,
    label: label(i),
  }));
  const fill = classes
    ? classScale(classes)
    : {scheme: "cividis", label: data.target};
  const surface = dimensions === 2 ? map.surface : null;
  const dot = {
    x: "x",
    y: "y",
    fill: classes ? "label" : "value",
    r: 2.6,
    stroke: surface ? colour("ink") : colour("muted"),
    strokeWidth: 0.5,
    symbol: classes ? "label" : undefined,
    title: (p) => `${data.target} ${p.label}`,
  };
  const draw = (width) =>
    Plot.plot({
      width,
      height: Math.min(width * 0.8, 380),
      marginLeft: dimensions === 1 && classes ? 72 : 54, // room for the names of classes
      marginBottom: 44,
      marginRight: 16,
      style: plotStyle,
      color: fill,
      symbol: classes ? {domain: classes} : undefined,
      x: {
        label: dimensions > 1 ? "Map, first coordinate (scale of the map)" : "Learned map (scale of the map)",
        labelAnchor: "center",
        labelArrow: "none",
        ticks: 5,
      },
      y: {
        label:
          dimensions > 1
            ? "Map, second coordinate"
            : classes
              ? `${target} (spread within its class)`
              : `${target} (its own units)`,
        labelArrow: "none",
        ticks: dimensions === 1 && classes ? classes.map((_, i) => i) : 6,
        tickFormat: dimensions === 1 && classes ? (i) => shortened(String(classes[i] ?? ""), 7) : undefined,
      },
      marks: [
        surface
          ? Plot.raster(surface.mean, {
              x1: surface.x[0],
              x2: surface.x[1],
              y1: surface.y[0],
              y2: surface.y[1],
              width: surface.columns,
              height: surface.rows,
              opacity: 0.85,
            })
          : null,
        Plot.dot(points, dot),
      ],
    });
  const shown =
    map.target.length < map.samples ? `${map.target.length} of ${map.samples} samples` : count(map.samples, "sample");
  return figure({
    title:
      dimensions > 1
        ? `${map.feature}: the map puts samples of like ${data.target} side by side`
        : `${map.feature}: what the learned map tells about ${data.target}`,
    alt: `Scatter plot of ${shown} in the learned map of ${map.feature}, coloured by ${data.target}${surface ? ", over the surrogate's mean" : ""}`,
    file: "map",
    draw,
    note: `${shown}${dimensions > 2 ? `, the first two of ${dimensions} coordinates` : ""}. ${surface ? "The ground is what the surrogate expects there; points that match it are predicted well." : ""}`,
  });
}

/** What the marks of the classes are: the symbols and colours of the panels, each beside its name. */
function classLegend(data, classes) {
  return Plot.legend({
    symbol: {domain: classes},
    color: classScale(classes),
    fill: "color",
    stroke: colour("muted"),
    r: 5,
    label: data.target,
    tickFormat: (name) => shortened(String(name), 24),
    style: plotStyle,
  });
}

export function mapPanels(data) {
  const values = data.maps.flatMap((map) => (map.classes ? [] : map.target));
  const classes = data.maps.find((map) => map.classes)?.classes;
  const legend = values.length
    ? Plot.legend({
        color: {
          scheme: "cividis",
          domain: [Math.min(...values), Math.max(...values)],
          label: `${data.target} (its own units)`,
        },
        width: 260,
        style: plotStyle,
      })
    : null;
  return [
    classes && el("div", {class: "legend"}, `${data.target}: `, classLegend(data, classes)),
    legend && el("div", {class: "legend", "aria-hidden": "true"}, legend),
    el(
      "div",
      {class: "panels"},
      data.maps.map((map) => mapPanel(data, map)),
    ),
  ];
}

export function trainingFigure(data) {
  const lines = data.training
    .flatMap((curve) =>
      ["training", "validation"].map((part) => ({
        curve,
        part,
        points: curve[part].map((value, i) => ({epoch: curve.epochs[i], value, label: `${curve.label}, ${part}`})),
      })),
    )
    .filter((line) => line.points.length);
  const held = lines.filter((line) => line.part === "validation");
  const kept = (held.length ? held : lines)
    .map(({curve, points}) => points.find((p) => p.epoch === curve.kept) ?? points.at(-1));
  const draw = (width) =>
    Plot.plot({
      width,
      height: 320,
      marginLeft: 56,
      marginBottom: 44,
      marginRight: width < 560 ? 20 : 130,
      style: plotStyle,
      x: {label: "Epoch", labelAnchor: "center", labelArrow: "none"},
      y: {label: "Log-likelihood (nats per sample)", grid: true, labelArrow: "none"},
      marks: [
        ...lines.map((line) =>
          Plot.lineY(line.points, {
            x: "epoch",
            y: "value",
            stroke: line.part === "training" ? colour("muted") : colour("adjacent"),
            strokeWidth: 1.8,
            strokeDasharray: line.part === "training" ? "5,4" : null,
          }),
        ),
        Plot.dot(kept, {
          x: "epoch",
          y: "value",
          r: 5,
          fill: colour("paper"),
          stroke: colour("ink"),
          strokeWidth: 2,
          title: "label",
        }),
        width < 560
          ? null
          : Plot.text(
              held.map((line) => ({...line.points.at(-1), label: line.curve.label})),
              {x: "epoch", y: "value", text: (p) => shortened(p.label, 18), textAnchor: "start", dx: 10},
            ),
      ],
    });
  return figure({
    title: held.length
      ? "Training: where the solid line stops rising, the maps had learned what carries over"
      : "Training: the likelihood of the target levels off when there is nothing more to learn",
    alt: data.training
      .map(
        (c) =>
          `${c.label}: ${count(c.epochs.at(-1), "epoch")}, last training value ${c.training.at(-1)}${c.validation.length ? `, last held-out value ${c.validation.at(-1)}` : ""}`,
      )
      .join("; "),
    file: "training",
    draw,
    note: "Dashed: the samples trained on. Solid: held-out samples. Rings: the weights that were kept.",
  });
}
