// Target, adjacent features, co-parents, and what separated the others, as a graph.
import * as Plot from "@observablehq/plot";
import {forceCollide, forceLink, forceManyBody, forceRadial, forceSimulation, forceY} from "d3-force";
import {colour, figure, plotStyle} from "./figure.js";
import {count, list, shortened} from "./format.js";

const ring = {target: 0, adjacent: 1, "co-parent": 1.25, redundant: 2.1};

function nodesAndLinks(data) {
  const {features} = data;
  const target = {id: -1, name: data.target, kind: "target"};
  const redundant = (f) => f.role === "excluded" && f.separating?.length > 0;
  const nodes = [target, ...features.map((f, id) => ({id, name: f.name, kind: f.role === "excluded" ? "redundant" : f.role, feature: f}))
    .filter((node) => node.kind === "target" || node.feature.role !== "excluded" || redundant(node.feature))];
  // What separates may itself be separated by nothing: shown all the same, so that every line has two ends.
  const present = new Set(nodes.map((node) => node.id));
  for (const node of [...nodes])
    for (const id of node.feature?.separating ?? [])
      if (!present.has(id)) { present.add(id); nodes.push({id, name: features[id].name, kind: "redundant", feature: features[id]}); }
  const links = nodes.flatMap((node) => node.kind === "target" ? [] : node.kind !== "redundant" ? [{source: node.id, target: -1, kind: node.kind}]
    : (node.feature.separating ?? []).map((id) => ({source: node.id, target: id, kind: "redundant"})));
  return {nodes, links};
}

/** Members evenly around the target, the others behind what separated them: few lines cross from the start. */
function firstPlaces(nodes) {
  const members = nodes.filter((node) => node.kind === "adjacent" || node.kind === "co-parent");
  const angle = new Map(members.map((node, i) => [node.id, (2 * Math.PI * (i + 0.25)) / members.length]));
  const angleOf = (node, depth = 0) => {
    if (angle.has(node.id) || depth > 4) return angle.get(node.id) ?? node.id;
    const towards = (node.feature?.separating ?? []).map((id) => angleOf(nodes.find((other) => other.id === id), depth + 1));
    if (!towards.length) return node.id;
    return Math.atan2(towards.reduce((sum, a) => sum + Math.sin(a), 0), towards.reduce((sum, a) => sum + Math.cos(a), 0)) + 0.02 * node.id;
  };
  for (const node of nodes) {
    const a = node.kind === "target" ? 0 : angleOf(node);
    node.x = 100 * ring[node.kind] * Math.cos(a);
    node.y = 100 * ring[node.kind] * Math.sin(a);
  }
}

/** Places in units of the ring of adjacent features; the same every time. */
function layout(nodes, links) {
  firstPlaces(nodes);
  const simulation = forceSimulation(nodes)
    .force("link", forceLink(links).id((node) => node.id).distance((link) => link.kind === "redundant" ? 90 : 100).strength(0.5))
    .force("charge", forceManyBody().strength(-220))
    .force("radial", forceRadial((node) => 100 * ring[node.kind], 0, 0).strength((node) => node.kind === "redundant" ? 0.35 : 1))
    .force("flat", forceY(0).strength(0.05))
    .force("collide", forceCollide(34))
    .stop();
  nodes[0].fx = nodes[0].fy = 0;
  simulation.tick(400);
  return nodes;
}

const looks = {
  target: {symbol: "circle", r: 15, fill: colour("ink"), stroke: colour("ink")},
  adjacent: {symbol: "circle", r: 10, fill: colour("adjacent"), stroke: colour("adjacent")},
  "co-parent": {symbol: "diamond", r: 11, fill: colour("coparent"), stroke: colour("coparent")},
  redundant: {symbol: "circle", r: 6, fill: colour("paper"), stroke: colour("muted")},
};
const dashes = {adjacent: null, "co-parent": "8,5", redundant: "2,4"};
const weights = {adjacent: 2.5, "co-parent": 2.5, redundant: 1.3};

function marksOf(nodes, links, most) {
  const kinds = Object.keys(looks);
  const lines = Object.keys(dashes).map((kind) => Plot.link(links.filter((link) => link.kind === kind), {
    x1: (link) => link.source.x, y1: (link) => link.source.y, x2: (link) => link.target.x, y2: (link) => link.target.y,
    stroke: looks[kind].stroke, strokeWidth: weights[kind], strokeDasharray: dashes[kind]}));
  const dots = kinds.map((kind) => Plot.dot(nodes.filter((node) => node.kind === kind), {x: "x", y: "y", r: looks[kind].r, symbol: looks[kind].symbol,
    fill: looks[kind].fill, stroke: looks[kind].stroke, strokeWidth: 2, title: (node) => node.feature ? node.feature.lines[0] : node.name}));
  // Labels stand where no line runs: beside the way from the target through a member, outwards of the others.
  const flat = (node) => Math.abs(node.x) > 1.2 * Math.abs(node.y);
  const across = (node) => node.x > 0 ? "right" : "left", down = (node) => node.y > 0 ? "below" : "above";
  const side = (node) => node.kind === "target" ? "below" : flat(node) === (node.kind === "redundant") ? across(node) : down(node);
  const shift = {right: [1, 0, "start"], left: [-1, 0, "end"], below: [0, 1, "middle"], above: [0, -1, "middle"]};
  const labels = kinds.flatMap((kind) => Object.entries(shift).map(([where, [right, below, textAnchor]]) => Plot.text(nodes.filter((node) => node.kind === kind && side(node) === where), {
    x: "x", y: "y", dx: right * (looks[kind].r + 6), dy: below * (looks[kind].r + 12), textAnchor, text: (node) => shortened(node.name, most),
    fontWeight: kind === "redundant" ? 400 : 700, fontSize: kind === "redundant" ? 12 : 14, fill: kind === "redundant" ? colour("muted") : colour("ink"), stroke: colour("paper"), strokeWidth: 5})));
  return [...lines, ...dots, ...labels];
}

/** One line per kind that occurs, in the drawing itself so that a saved file has it. */
function legend(kinds, noChildren, narrow) {
  const words = {adjacent: noChildren ? "direct cause" : "adjacent: direct cause or effect", "co-parent": "co-parent: another cause of an effect", redundant: narrow ? "redundant, given what it is tied to" : "redundant: dotted lines lead to what made it so"};
  return kinds.filter((kind) => kind in words).map((kind, i) => ({kind, text: words[kind], row: i}));
}

export function graphFigure(data) {
  const {nodes, links} = nodesAndLinks(data);
  layout(nodes, links);
  const of = (kind) => nodes.filter((node) => node.kind === kind).map((node) => node.name);
  const extent = (axis) => [Math.min(...nodes.map((n) => n[axis])), Math.max(...nodes.map((n) => n[axis]))];
  const [left, right] = extent("x"), [top, bottom] = extent("y");
  const draw = (width) => {
    const narrow = width < 560;
    const entries = legend(Object.keys(looks).filter((kind) => of(kind).length), data.no_children, narrow);
    const scale = Math.min(1.35, (width - (narrow ? 130 : 300)) / Math.max(right - left, 1));
    const spanY = (bottom - top) * scale;
    const below = 46 + 22 * entries.length;
    const height = spanY + 40 + below;
    const middle = (left + right) / 2;
    const half = width / 2 / scale;
    // One unit of x is one unit of y: the frame is filled from its middle.
    const y = {domain: [top - 34 / scale, top - 34 / scale + height / scale], axis: null, reverse: false};
    const at = (entry) => ({x: middle - half + 18 / scale, y: y.domain[1] - (18 + 22 * (entries.length - 1 - entry.row)) / scale});
    return Plot.plot({
      width, height, margin: 0, style: plotStyle, x: {domain: [middle - half, middle + half], axis: null}, y: {...y, range: [0, height]},
      marks: [
        ...marksOf(nodes, links, narrow ? 12 : 22),
        ...entries.map((entry) => Plot.link([at(entry)], {x1: (p) => p.x - 10 / scale, x2: (p) => p.x + 22 / scale, y1: "y", y2: "y", stroke: looks[entry.kind].stroke, strokeWidth: weights[entry.kind], strokeDasharray: dashes[entry.kind]})),
        ...entries.map((entry) => Plot.dot([at(entry)], {x: "x", y: "y", dx: 6, r: looks[entry.kind].r * 0.6, symbol: looks[entry.kind].symbol, fill: looks[entry.kind].fill, stroke: looks[entry.kind].stroke})),
        ...entries.map((entry) => Plot.text([at(entry)], {x: "x", y: "y", dx: 34, textAnchor: "start", text: () => entry.text})),
      ],
    });
  };
  const direct = of("adjacent"), through = of("redundant");
  const apart = data.features.filter((f) => f.role === "excluded" && !nodes.some((node) => node.feature === f)).map((f) => f.name);
  return figure({
    title: `${list(direct, 4) || "Nothing"} ${direct.length > 1 ? "are" : "is"} linked to ${data.target} directly${through.length ? `; ${list(through, 4)} only through others` : ""}`,
    alt: `Graph. Adjacent to ${data.target}: ${list(direct, 20) || "none"}. Co-parents: ${list(of("co-parent"), 20) || "none"}. ${nodes.filter((n) => n.kind === "redundant")
      .map((n) => `${n.name} is redundant given ${list((n.feature.separating ?? []).map((id) => data.features[id].name), 9)}`).join(". ")}`,
    file: "graph", draw,
    note: apart.length ? `Not in the graph: ${count(apart.length, "feature")} without any link to show (${list(apart, 8)}).` : null,
  });
}
