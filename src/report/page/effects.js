// Draws what each selected feature adds, with its standard error, and one feature's statistic among permuted ones.
import * as Plot from "@observablehq/plot";
import {el} from "./dom.js";
import {colour, figure, plotStyle} from "./figure.js";
import {shortened} from "./format.js";

const roleColour = (feature) =>
  feature.role === "co-parent"
    ? colour("coparent")
    : feature.role === "adjacent"
      ? colour("adjacent")
      : colour("muted");

/** The bars of a histogram that is `height` high and stands on `ground` (y grows downwards). */
function bars({low, high, counts}, ground, height) {
  const most = Math.max(...counts);
  const width = counts.length > 1 ? (high - low) / counts.length : 0;
  return counts
    .map((number, i) => ({
      x1: low + i * width,
      x2: low + (i + 1) * width,
      y1: ground,
      y2: ground - (height * number) / most,
      number,
    }))
    .filter((bar) => bar.number > 0);
}

const observedText = (f) =>
  `${f.evidence.nats_text} nats, p ${f.evidence.p_text.startsWith("<") ? "" : "= "}${f.evidence.p_text}`;
const reach = (f, side) => f.evidence.effect + side * 1.96 * (f.evidence.error ?? 0);

/** All selected features on one axis. */
export function effectsFigure(data, selected) {
  const rows = selected.filter((f) => f.evidence && f.evidence.effect !== null).map((f, i) => ({...f, row: i}));
  if (!rows.length) return null;
  const low = Math.min(0, ...rows.map((f) => reach(f, -1)));
  const high = Math.max(...rows.map((f) => reach(f, 1)), 1e-6);
  const draw = (width) => {
    const narrow = width < 560;
    const most = narrow ? 12 : 24;
    const longest = Math.max(3, ...rows.map((f) => [...shortened(f.name, most)].length));
    const marginLeft = Math.min(30 + 7.5 * longest, width * 0.4);
    const room = narrow ? 0 : Math.max(150, ...rows.map((f) => 7.4 * observedText(f).length)); // for the text behind a bar
    const band = 50;
    // On a phone numbers stand where there is room for them: left of a mark that is far to the right.
    const beforeMark = (f) => narrow && f.evidence.effect - low > 0.5 * (high - low);
    return Plot.plot({
      width,
      height: rows.length * band + 84,
      marginLeft,
      marginRight: 20 + room,
      marginTop: 30,
      marginBottom: 54,
      style: plotStyle,
      x: {
        domain: [low - (high - low) * 0.02, high],
        label: narrow
          ? "Nats"
          : `Information about ${shortened(data.target, 20)} that the other selected features do not give (nats)`,
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 44,
        ticks: narrow ? 4 : 8,
      },
      y: {domain: [-0.5, rows.length - 0.5], axis: null, reverse: true},
      marks: [
        Plot.ruleY(rows, {y: (f) => f.row + 0.5, stroke: colour("line")}),
        Plot.ruleX([0], {stroke: colour("muted"), strokeDasharray: "2,3"}),
        Plot.ruleY(rows, {
          y: (f) => f.row + 0.1,
          x1: 0,
          x2: (f) => f.evidence.effect,
          stroke: roleColour,
          strokeWidth: 2,
        }),
        Plot.ruleY(
          rows.filter((f) => f.evidence.error),
          {
            y: (f) => f.row + 0.1,
            x1: (f) => reach(f, -1),
            x2: (f) => reach(f, 1),
            stroke: roleColour,
            strokeWidth: 7,
            strokeOpacity: 0.3,
          },
        ),
        Plot.dot(rows, {
          x: (f) => f.evidence.effect,
          y: (f) => f.row + 0.1,
          r: 6,
          fill: roleColour,
          symbol: (f) => (f.role === "co-parent" ? "diamond" : "circle"),
          title: (f) => `${f.name}: ${observedText(f)}`,
        }),
        ...["start", "end"].map((side) => Plot.text(rows.filter((f) => (beforeMark(f) ? "end" : "start") === side), {
          x: (f) => reach(f, side === "end" ? -1 : 1),
          y: (f) => f.row + 0.1,
          text: narrow ? (f) => f.evidence.nats_text : observedText,
          textAnchor: side,
          dx: side === "end" ? -10 : 12,
          dy: side === "end" ? -11 : 0,
          fontWeight: 600,
          stroke: colour("paper"),
          strokeWidth: 4,
          fill: colour("ink"),
        })),
        Plot.text(rows, {
          frameAnchor: "left",
          y: (f) => f.row + 0.1,
          dx: -marginLeft + 4,
          text: (f) => shortened(f.name, most),
          textAnchor: "start",
          fontWeight: 700,
          fontSize: 14,
          title: "name",
          dy: -7,
        }),
        Plot.text(rows, {
          frameAnchor: "left",
          y: (f) => f.row + 0.1,
          dx: -marginLeft + 4,
          text: "role",
          textAnchor: "start",
          dy: 9,
          fill: roleColour,
        }),
      ],
    });
  };
  return figure({
    title: `What ${rows.length > 1 ? "each selected feature" : "the selected feature"} adds about ${data.target}`,
    alt: rows.map((f) => `${f.name}, ${f.role}: ${observedText(f)}`).join("; "),
    file: "effects",
    draw,
    note: data.second_pass
      ? "Marks: how much better the target is predicted with the feature than without it, beside all other selected features, in nats per sample. Pale bars: 95% by the standard error over samples. Circles are adjacent features, diamonds co-parents."
      : "Marks: nats above chance in the test that decided. Circles are adjacent features, diamonds co-parents.",
  });
}

/** One feature on an axis of its own. */
function histogramFigure(data, feature) {
  const {histogram, evidence} = feature;
  const all = bars(histogram, 0, 1);
  const total = histogram.counts.reduce((sum, number) => sum + number, 0);
  const above = histogram.observed > histogram.high;
  const draw = (width) =>
    Plot.plot({
      width: Math.min(width, 620),
      height: 190,
      marginTop: 28,
      marginBottom: 42,
      marginLeft: 48,
      marginRight: 60,
      style: plotStyle,
      x: {
        label: "Statistic, nats above the mean of its permutations",
        labelAnchor: "center",
        labelArrow: "none",
        ticks: 6,
      },
      y: {label: "permutations", grid: true, ticks: 4, labelArrow: "none"},
      marks: [
        Plot.rectY(all, {
          x1: "x1",
          x2: "x2",
          y: "number",
          fill: colour("chance"),
          stroke: colour("paper"),
          strokeWidth: 0.5,
        }),
        Plot.ruleY([0]),
        Plot.ruleX([histogram.observed], {stroke: roleColour(feature), strokeWidth: 3}),
        Plot.text([histogram.observed], {
          x: (x) => x,
          frameAnchor: "top",
          dy: -14,
          text: () => `observed ${histogram.observed_text}`,
          fontWeight: 600,
        }),
      ],
    });
  return figure({
    title: above
      ? `${feature.name}: none of ${total} permutations reaches the observed value`
      : `${feature.name}: where the observed value falls among ${total} permutations`,
    alt: `Histogram of ${total} permuted statistics from ${histogram.low} to ${histogram.high} nats; observed ${histogram.observed_text} nats, p ${evidence.p_text}`,
    file: "null-distribution",
    draw,
    note: "Where several numbers of neighbours were tried, this is the one that shows the dependence best; p allows for the choice, so it can be larger than this histogram suggests.",
  });
}

/** A covariance has no permutations: its deviations on the normal curve that they follow where nothing is left. */
function covarianceFigure(data, feature) {
  const {deviations, p_text: p} = feature.covariance;
  const reach = Math.max(4, deviations * 1.08);
  const curve = Array.from({length: 161}, (_, i) => -4 + (8 * i) / 160).map((x) => ({
    x,
    density: Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI),
  }));
  const draw = (width) =>
    Plot.plot({
      width: Math.min(width, 620),
      height: 190,
      marginTop: 28,
      marginBottom: 42,
      marginLeft: 48,
      marginRight: 60,
      style: plotStyle,
      x: {
        domain: [-4, reach],
        label: "Covariance, in standard errors",
        labelAnchor: "center",
        labelArrow: "none",
        ticks: 6,
      },
      y: {label: "density without dependence", ticks: 3, labelArrow: "none"},
      marks: [
        Plot.areaY(curve, {x: "x", y: "density", fill: colour("chance")}),
        Plot.ruleY([0]),
        Plot.ruleX([deviations], {stroke: roleColour(feature), strokeWidth: 3}),
        Plot.text([deviations], {
          x: (x) => x,
          frameAnchor: "top",
          dy: -14,
          text: () => `observed ${deviations.toFixed(1)}`,
          textAnchor: deviations > 0.85 * reach ? "end" : "middle",
          fontWeight: 600,
        }),
      ],
    });
  return figure({
    title: `${feature.name}: the covariance is ${deviations.toFixed(1)} standard errors from 0`,
    alt: `Normal curve of a covariance without dependence; observed ${deviations.toFixed(1)} standard errors, p ${p}`,
    file: "covariance",
    draw,
    note: `A regression on the other selected features leaves a remainder of ${feature.name} and one of ${data.target}. Where the feature adds nothing, the covariance of the two follows this normal curve, so no permutations are drawn. Several covariances and one other test are asked; p allows for all of them.`,
  });
}

/** What an opened row tells: the sentences of `macmi explain`, and the test that decided. */
export function story(data, feature) {
  return [
    el(
      "div",
      {class: "story"},
      feature.lines.map((line) => el("p", {class: line.startsWith("  ") ? "indented" : null}, line)),
    ),
    feature.histogram && histogramFigure(data, feature),
    feature.covariance && covarianceFigure(data, feature),
  ].filter(Boolean);
}
