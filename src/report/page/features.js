// Selected features and what they add; the others and why not.
import {data, excluded, selected} from "./data.js";
import {el, section} from "./dom.js";
import {effectsFigure, story} from "./effects.js";
import {table} from "./table.js";

function frequency(f) {
  const share = f.selected_in / data.stability.subsamples;
  return el(
    "span",
    {class: "frequency"},
    `${f.selected_in} of ${data.stability.subsamples}`,
    el("span", {class: "bar", "aria-hidden": "true"}, el("span", {style: `width:${100 * share}%`})),
  );
}

const number = (label, hint, result, key, text) => ({
  label,
  hint,
  numeric: true,
  value: (f) => result(f)?.[key] ?? null,
  cell: (f) => result(f)?.[text] ?? "",
});
const deciding = (f) => f.deciding,
  marginal = (f) => f.marginal;
const stabilityColumn = data.stability
  ? [
      {
        label: "selected in",
        hint: `Searches on random ${data.stability.share_text} of the samples`,
        numeric: true,
        value: (f) => f.selected_in,
        cell: frequency,
      },
    ]
  : [];

function remarks(f) {
  const copies = data.features
    .filter((other) => other.same_as !== undefined && data.features[other.same_as] === f)
    .map((other) => other.name);
  const others = (f.interchangeable ?? [])
    .map((place) => data.features[place].name)
    .filter((name) => !copies.includes(name));
  return [
    f.reason === "must" && "--must",
    f.reason === "n-features" && "--n-features",
    !f.re_tested && !data.no_children && !data.partial && "not re-tested",
    copies.length && `same as ${copies.join(", ")}`,
    others.length && `or ${others.join(", ")}`,
    f.near > 0 && "close to the limit",
  ]
    .filter(Boolean)
    .join("; ");
}

export function selectedSection() {
  const whole = data.categorical
    ? `of the entropy of ${data.target}, ${data.entropy_text} nats`
    : `of the variance of ${data.target}, as this much information explains between Gaussians (R²)`;
  if (!selected.length)
    return section(
      "selected",
      "Selected features",
      el("p", {}, "None. The strongest candidates:"),
      el(
        "ul",
        {},
        data.advice.map((line) => el("li", {}, line)),
      ),
    );
  return section(
    "selected",
    "Selected features",
    effectsFigure(data, selected),
    table({
      caption:
        "What each selected feature adds to the others, and what it tells alone. Open a feature to read why it is in.",
      rows: selected,
      unit: "feature",
      more: (f) => story(data, f),
      columns: [
        {label: "feature", value: (f) => f.name},
        {label: "role", value: (f) => f.role, cell: (f) => el("span", {class: `role ${f.role}`}, f.role)},
        number("adds, nats", "Nats above chance, given the other selected features", deciding, "effect", "nats_text"),
        number("share", `Share ${whole}`, deciding, "share", "share_text"),
        number("p", "Of this test", deciding, "p", "p_text"),
        number("alone, nats", "Nats above chance, given nothing", marginal, "effect", "nats_text"),
        number("share alone", `Share ${whole}`, marginal, "share", "share_text"),
        number("p alone", "Of the test given nothing", marginal, "p", "p_text"),
        ...stabilityColumn,
        ...(selected.some((f) => remarks(f)) ? [{label: "remarks", value: remarks}] : []),
      ],
    }),
    el(
      "p",
      {class: "note"},
      `Share: ${whole}.${data.stability ? ` Selected in: of ${data.stability.subsamples} searches, each on random ${data.stability.share_text} of the samples.` : ""}`,
    ),
  );
}

export function whyNotSection() {
  if (!excluded.length) return;
  section(
    "why-not",
    "Why not the others",
    table({
      caption: "What made each of the other features superfluous. Open a feature to read more.",
      rows: excluded,
      unit: "feature",
      more: (f) => story(data, f),
      search: excluded.length > 12 ? (f) => `${f.name} ${f.why}`.toLowerCase() : null,
      columns: [
        {label: "feature", value: (f) => f.name},
        {label: "why it is not selected", value: (f) => f.why},
        number(
          "left, nats",
          "Nats above chance that were left, given what made it redundant",
          (f) => (f.reason === "tested" ? f.deciding : null),
          "effect",
          "nats_text",
        ),
        number("p", "Of this test", (f) => (f.reason === "tested" ? f.deciding : null), "p", "p_text"),
        number("alone, nats", "Nats above chance, given nothing", marginal, "effect", "nats_text"),
        number("p alone", "Of the test given nothing", marginal, "p", "p_text"),
        ...stabilityColumn,
      ],
    }),
  );
}
