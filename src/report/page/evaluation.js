// Fresh predictors on different sets of features: ROC curves and a table.
import * as Plot from "@observablehq/plot";
import {el} from "./dom.js";
import {colour, figure, plotStyle} from "./figure.js";
import {table} from "./table.js";

const looks = {
  all: {stroke: "ink", dash: "none"},
  selected: {stroke: "adjacent", dash: "none"},
  l1: {stroke: "coparent", dash: "6 3"},
  "l1 of equal size": {stroke: "coparent", dash: "2 3"},
  random: {stroke: "muted", dash: "1 4"},
};
const three = (value) => (value === null ? "-" : value.toFixed(3));
const signed = (value) => (value > 0 ? "+" : "") + three(value);

function rocFigure(data) {
  const sets = data.evaluation.sets.filter((set) => set.roc.length);
  const draw = (width) =>
    Plot.plot({
      width,
      height: Math.min(width * 0.8, 420),
      marginLeft: 54,
      marginBottom: 44,
      style: plotStyle,
      x: {label: "False positive rate", labelAnchor: "center", labelArrow: "none", domain: [0, 1]},
      y: {label: "True positive rate", labelArrow: "none", domain: [0, 1]},
      marks: [
        Plot.line(
          [
            [0, 0],
            [1, 1],
          ],
          {stroke: colour("chance")},
        ),
        ...[...sets.filter((set) => set.name !== "selected"), ...sets.filter((set) => set.name === "selected")].map((set) =>
          Plot.line(set.roc, {
            stroke: colour(looks[set.name]?.stroke ?? "muted"),
            strokeDasharray: looks[set.name]?.dash,
            strokeWidth: set.name === "selected" ? 2.5 : 1.5,
            title: () => set.name,
          }),
        ),
        Plot.text(
          sets.map((set, i) => ({x: 0.98, y: 0.06 + 0.07 * (sets.length - 1 - i), set})),
          {
            x: "x",
            y: "y",
            text: ({set}) => `${set.name} (${set.size}): ${three(set.score)}`,
            fill: ({set}) => colour(looks[set.name]?.stroke ?? "muted"),
            textAnchor: "end",
          },
        ),
      ],
    });
  return figure({
    title: "ROC curves on samples the predictor has not seen",
    alt: `ROC curves; areas: ${sets.map((set) => `${set.name} ${three(set.score)}`).join(", ")}`,
    note: "Number of features in brackets, then the area under the curve. Scores are ranked within each part of the cross-validation.",
    file: "roc",
    draw,
  });
}

function measures(data) {
  const {sets, differences, two_classes: two} = data.evaluation;
  const difference = (set) => differences.find((d) => d.with === set.name);
  const number = (label, value, cell = (set) => three(value(set))) => ({label, value, cell, numeric: true});
  return table({
    caption: "Predictors of one architecture and budget on different sets of features.",
    columns: [
      {label: "features", value: (set) => set.name},
      number("number", (set) => set.size, (set) => String(set.size)),
      number(two ? "AUC" : "R²", (set) => set.score),
      ...(two ? [number("average precision", (set) => set.precision)] : []),
      number("nats over a constant", (set) => set.gain, (set) => `${three(set.gain)} ± ${three(set.error)}`),
      number(
        "selected minus this (95%)",
        (set) => difference(set)?.difference ?? null,
        (set) => {
          const d = difference(set);
          return d ? `${signed(d.difference)} (${signed(d.low)} to ${signed(d.high)})` : "";
        },
      ),
    ],
    rows: sets,
    unit: "set",
  });
}

export function evaluationParts(data) {
  const {parts, repeated, two_classes: two} = data.evaluation;
  const how = repeated
    ? `Cross-validated in ${parts} parts, the selection repeated on the training samples of each.`
    : `Cross-validated in ${parts} parts; the selection has seen all samples, which flatters it.`;
  return [el("p", {}, how), two ? rocFigure(data) : null, measures(data)];
}
