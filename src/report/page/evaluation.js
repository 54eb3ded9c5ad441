// Fresh predictors on different sets of features: ROC curves and a table.
import * as Plot from "@observablehq/plot";
import {el} from "./dom.js";
import {colour, figure, plotStyle} from "./figure.js";

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
        ...sets.map((set) =>
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
  const head = ["features", "number", two ? "AUC" : "R²", ...(two ? ["average precision"] : []), "nats over a constant", "selected minus this (95%)"];
  const row = (set) => {
    const d = differences.find((difference) => difference.with === set.name);
    return [
      set.name,
      String(set.size),
      three(set.score),
      ...(two ? [three(set.precision)] : []),
      `${three(set.gain)} ± ${three(set.error)}`,
      d ? `${signed(d.difference)} (${signed(d.low)} to ${signed(d.high)})` : "",
    ];
  };
  return el(
    "table",
    {},
    el("caption", {}, "Predictors of one architecture and budget on different sets of features"),
    el("thead", {}, el("tr", {}, head.map((text) => el("th", {scope: "col"}, text)))),
    el(
      "tbody",
      {},
      sets.map((set) => el("tr", {}, row(set).map((text, i) => el(i ? "td" : "th", i ? {} : {scope: "row"}, text)))),
    ),
  );
}

export function evaluationParts(data) {
  const {parts, repeated, two_classes: two} = data.evaluation;
  const how = repeated
    ? `Cross-validated in ${parts} parts, the selection repeated on the training samples of each.`
    : `Cross-validated in ${parts} parts; the selection has seen all samples, which flatters it.`;
  return [el("p", {}, how), two ? rocFigure(data) : null, measures(data)];
}
