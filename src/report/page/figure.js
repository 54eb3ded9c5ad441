// The frame of every figure: a title that says what to see, the drawing, a way to save it. Drawings follow the width.
import {download, el} from "./dom.js";

/** Colours by name; the page's style sheet gives them values for light and dark, this table the ones for saved files. */
const saved = {
  ink: "#18202b",
  muted: "#566170",
  line: "#d3d9e1",
  paper: "#ffffff",
  adjacent: "#0a58a8",
  coparent: "#b04a00",
  chance: "#a7b0bd",
};
export const colour = (name) => `var(--${name})`;

export const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
export const plotStyle = {
  fontFamily: font,
  fontSize: "12px",
  background: "transparent",
  color: colour("ink"),
  overflow: "visible",
};

/** A file that needs neither this page nor its style sheet. */
function standalone(svg) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const [, , width, height] = copy.getAttribute("viewBox").split(/[ ,]+/);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({width, height, fill: saved.paper})) ground.setAttribute(name, value);
  copy.insertBefore(ground, copy.querySelector(":scope > :not(style)"));
  return new XMLSerializer()
    .serializeToString(copy)
    .replaceAll(/var\(--([a-z]+)\)/g, (whole, name) => saved[name] ?? whole);
}

/**
 * A figure whose `draw(width)` gives an SVG. `alt` tells those who cannot see it what it shows.
 * `note` is what helps to read it; `file` the name it is saved under.
 */
export function figure({title, alt, note, file, draw}) {
  const drawing = el("div", {class: "drawing"});
  const save = el(
    "button",
    {
      type: "button",
      class: "save",
      "aria-label": `Save as SVG: ${title}`,
      onclick: () => download(`${file}.svg`, "image/svg+xml", standalone(drawing.querySelector("svg"))),
    },
    "Save as SVG",
  );
  const frame = el(
    "figure",
    {},
    el("figcaption", {}, el("h3", {}, title), save),
    drawing,
    note && el("p", {class: "note"}, note),
  );
  let drawn = 0;
  const redraw = () => {
    const width = Math.floor(drawing.clientWidth);
    if (width === 0 || width === drawn) return;
    drawn = width;
    const svg = draw(width);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", alt);
    drawing.replaceChildren(svg);
  };
  new ResizeObserver(redraw).observe(drawing);
  return frame;
}
