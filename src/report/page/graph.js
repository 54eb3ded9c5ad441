// Target, adjacent features, co-parents, and what separated the others, as a graph.
import * as Plot from "@observablehq/plot";
import {forceCollide, forceRadial, forceSimulation, forceX, forceY} from "d3-force";
import {colour, figure, plotStyle} from "./figure.js";
import {count, list, shortened} from "./format.js";

/** Groups of excluded features beyond this many are left to the table below the graph. */
const groupsShown = 18;

/** Excluded features that the same set made redundant, as one: {members, separating}, strongest alone first. */
function redundantGroups(data) {
  const groups = new Map();
  for (const id of data.order) {
    const f = data.features[id];
    if (f.role !== "excluded" || !f.separating?.length) continue;
    const key = f.separating.join(" ");
    if (!groups.has(key)) groups.set(key, {members: [], separating: f.separating});
    groups.get(key).members.push(f);
  }
  return [...groups.values()];
}

function nodesAndLinks(data) {
  const nodes = [{id: "target", names: [data.target], kind: "target"}];
  const place = new Map();
  for (const role of ["adjacent", "co-parent"])
    for (const id of data.order)
      if (data.features[id].role === role) {
        place.set(id, nodes.length);
        nodes.push({id, names: [data.features[id].name], kind: role, feature: data.features[id]});
      }
  const groups = redundantGroups(data).slice(0, groupsShown);
  for (const group of groups) {
    for (const f of group.members) place.set(data.features.indexOf(f), nodes.length);
    nodes.push({
      id: `group ${nodes.length}`,
      names: group.members.map((f) => f.name),
      kind: "redundant",
      feature: group.members[0],
      group,
    });
  }
  const links = nodes
    .filter((node) => node.kind === "adjacent" || node.kind === "co-parent")
    .map((node) => ({source: node, target: nodes[0], kind: node.kind}));
  for (const node of nodes) {
    const ends = new Set((node.group?.separating ?? []).map((id) => nodes[place.get(id)]).filter(Boolean));
    for (const end of ends) links.push({source: node, target: end, kind: "redundant"});
  }
  return {nodes, links};
}

/** Members stand evenly around the target; the others find room behind what made them redundant. The same every time. */
function layout(nodes, links) {
  const members = nodes.filter((node) => node.kind === "adjacent" || node.kind === "co-parent");
  const others = nodes.filter((node) => node.kind === "redundant");
  const inner = 100 * Math.max(1, members.length / 7);
  nodes[0].fx = nodes[0].fy = 0;
  members.forEach((node, i) => {
    const angle = (2 * Math.PI * (i + 0.3)) / members.length - Math.PI / 2;
    [node.fx, node.fy] = [inner * Math.cos(angle), inner * Math.sin(angle)];
  });
  others.forEach((node, i) => {
    const ends = links
      .filter((link) => link.source === node && link.target.fx !== undefined)
      .map((link) => link.target);
    const [x, y] = ["fx", "fy"].map((axis) => ends.reduce((sum, end) => sum + end[axis], 0));
    const angle = Math.atan2(y, x) + 0.03 * i;
    [node.homeX, node.homeY] = [(inner + 95) * Math.cos(angle), (inner + 95) * Math.sin(angle)];
    [node.x, node.y] = [node.homeX, node.homeY];
  });
  forceSimulation(nodes)
    .force("x", forceX((node) => node.homeX ?? 0).strength(0.15))
    .force("y", forceY((node) => node.homeY ?? 0).strength(0.15))
    .force(
      "radial",
      forceRadial((node) => (node.kind === "redundant" ? inner + 95 : 0), 0, 0).strength((node) =>
        node.kind === "redundant" ? 0.5 : 0,
      ),
    )
    .force(
      "collide",
      forceCollide((node) => (node.kind === "redundant" ? 40 : 28))
        .strength(1)
        .iterations(4),
    )
    .stop()
    .tick(300);
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
  const lines = Object.keys(dashes).map((kind) =>
    Plot.link(
      links.filter((link) => link.kind === kind),
      {
        x1: (link) => link.source.x,
        y1: (link) => link.source.y,
        x2: (link) => link.target.x,
        y2: (link) => link.target.y,
        stroke: looks[kind].stroke,
        strokeWidth: weights[kind],
        strokeDasharray: dashes[kind],
      },
    ),
  );
  const dots = kinds.map((kind) =>
    Plot.dot(
      nodes.filter((node) => node.kind === kind),
      {
        x: "x",
        y: "y",
        r: looks[kind].r,
        symbol: looks[kind].symbol,
        fill: looks[kind].fill,
        stroke: looks[kind].stroke,
        strokeWidth: 2,
        title: (node) => (node.feature ? node.feature.lines[0] : node.names[0]),
      },
    ),
  );
  // Labels stand where no line runs: beside the way from the target through a member, outwards of the others.
  const flat = (node) => Math.abs(node.x) > 1.2 * Math.abs(node.y);
  const across = (node) => (node.x > 0 ? "right" : "left"),
    down = (node) => (node.y > 0 ? "below" : "above");
  const side = (node) =>
    node.kind === "target" ? "below" : flat(node) === (node.kind === "redundant") ? across(node) : down(node);
  const shift = {right: [1, 0, "start"], left: [-1, 0, "end"], below: [0, 1, "middle"], above: [0, -1, "middle"]};
  const labels = kinds.flatMap((kind) =>
    Object.entries(shift).map(([where, [right, below, textAnchor]]) =>
      Plot.text(
        nodes.filter((node) => node.kind === kind && side(node) === where),
        {
          x: "x",
          y: "y",
          dx: right * (looks[kind].r + 6),
          dy: below * (looks[kind].r + 12),
          textAnchor,
          text: (node) =>
            shortened(node.names[0], most) + (node.names.length > 1 ? `\nand ${node.names.length - 1} more` : ""),
          fontWeight: kind === "redundant" ? 400 : 700,
          fontSize: kind === "redundant" ? 12 : 14,
          fill: kind === "redundant" ? colour("muted") : colour("ink"),
          stroke: colour("paper"),
          strokeWidth: 5,
        },
      ),
    ),
  );
  return [...lines, ...dots, ...labels];
}

/** One line per kind that occurs, in the drawing itself so that a saved file has it. */
function legend(kinds, noChildren, narrow) {
  const words = {
    adjacent: noChildren ? "direct cause, if the assumptions hold" : "adjacent, or a stand-in for what is",
    "co-parent": "co-parent: tells beside others",
    redundant: narrow ? "redundant, given what it is tied to" : "redundant: dotted lines lead to what made it so",
  };
  return kinds.filter((kind) => kind in words).map((kind, i) => ({kind, text: words[kind], row: i}));
}

export function graphFigure(data) {
  const {nodes, links} = nodesAndLinks(data);
  layout(nodes, links);
  const of = (kind) => nodes.filter((node) => node.kind === kind).flatMap((node) => node.names);
  const draw = (width) => {
    const narrow = width < 560;
    const stretch = narrow ? 1 : 1.5;
    const placed = new Map(nodes.map((node) => [node, {...node, x: node.x * stretch}]));
    const ends = links.map((link) => ({...link, source: placed.get(link.source), target: placed.get(link.target)}));
    const extent = (axis) => {
      const all = [...placed.values()].map((node) => node[axis]);
      return [Math.min(...all), Math.max(...all)];
    };
    const [left, right] = extent("x"),
      [top, bottom] = extent("y");
    const entries = legend(
      Object.keys(looks).filter((kind) => of(kind).length),
      data.no_children,
      narrow,
    );
    const scale = Math.min(1.2, (width - (narrow ? 130 : 330)) / Math.max(right - left, 1));
    const height = (bottom - top) * scale + 90 + 22 * entries.length;
    const middle = (left + right) / 2,
      half = width / 2 / scale;
    // One unit of x is one unit of y.
    const low = top - 36 / scale,
      high = low + height / scale;
    const at = (entry) => ({
      x: middle - half + 18 / scale,
      y: high - (18 + 22 * (entries.length - 1 - entry.row)) / scale,
    });
    return Plot.plot({
      width,
      height,
      margin: 0,
      style: plotStyle,
      x: {domain: [middle - half, middle + half], axis: null},
      y: {domain: [low, high], range: [0, height], axis: null},
      marks: [
        ...marksOf([...placed.values()], ends, narrow ? 12 : 22),
        ...entries.map((entry) =>
          Plot.link([at(entry)], {
            x1: (p) => p.x - 10 / scale,
            x2: (p) => p.x + 22 / scale,
            y1: "y",
            y2: "y",
            stroke: looks[entry.kind].stroke,
            strokeWidth: weights[entry.kind],
            strokeDasharray: dashes[entry.kind],
          }),
        ),
        ...entries.map((entry) =>
          Plot.dot([at(entry)], {
            x: "x",
            y: "y",
            dx: 6,
            r: looks[entry.kind].r * 0.6,
            symbol: looks[entry.kind].symbol,
            fill: looks[entry.kind].fill,
            stroke: looks[entry.kind].stroke,
          }),
        ),
        ...entries.map((entry) =>
          Plot.text([at(entry)], {x: "x", y: "y", dx: 34, textAnchor: "start", text: () => entry.text}),
        ),
      ],
    });
  };
  const direct = of("adjacent"),
    through = of("redundant");
  const apart = data.features.filter((f) => f.role === "excluded" && !f.separating?.length).map((f) => f.name);
  const hidden = data.features.filter((f) => f.role === "excluded" && f.separating?.length).length - through.length;
  const left = [
    apart.length && `${count(apart.length, "feature")} without any link to show (${list(apart, 8)})`,
    hidden && `${count(hidden, "redundant feature")}, listed below`,
  ].filter(Boolean);
  return figure({
    title: `${list(direct, 4) || "Nothing"} ${direct.length > 1 ? "are" : "is"} linked to ${data.target} directly${through.length ? `; ${list(through, 3)} only through others` : ""}`,
    alt: `Graph. Adjacent to ${data.target}: ${list(direct, 20) || "none"}. Co-parents: ${list(of("co-parent"), 20) || "none"}. ${nodes
      .filter((n) => n.group)
      .map(
        (n) =>
          `Redundant given ${list(
            n.group.separating.map((id) => data.features[id].name),
            9,
          )}: ${list(n.names, 9)}`,
      )
      .join(". ")}`,
    file: "graph",
    draw,
    note: left.length ? `Not in the graph: ${left.join("; ")}.` : null,
  });
}
