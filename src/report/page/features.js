// Selected features and what they add; the others and why not.
import {data, excluded, selected} from "./data.js";
import {el, section} from "./dom.js";
import {effectsFigure, story} from "./effects.js";
import {table} from "./table.js";

function frequency(f) {
  if (f.selected_in === undefined) return "";
  const share = f.selected_in / data.stability.subsamples;
  return el(
    "span",
    {class: "frequency"},
    f.selected_in_text,
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
const evidence = (f) => f.evidence,
  alone = (f) => f.alone;
const beyond = data.second_pass
  ? "Nats beyond the other selected features, ± standard error"
  : "Nats above chance in the test that decided";
const qColumn = data.second_pass
  ? [number("q", `p adjusted for ${data.features.length} features (Benjamini and Hochberg)`, evidence, "q", "q_text")]
  : [];
const stabilityColumn = (rows) =>
  rows.some((f) => f.selected_in !== undefined)
    ? [
        {
          label: "stable",
          hint: `Stable: ${data.stability.legend}`,
          numeric: true,
          value: (f) => f.selected_in ?? null,
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
    f.together && `together with ${f.together}`,
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
    data.sufficiency && el("p", {class: "sufficiency"}, data.sufficiency.text),
    data.sufficiency?.measured &&
      el(
        "p",
        {class: "note"},
        "Cross-validated, with a fresh predictor on both sets. The selection itself has seen these samples.",
      ),
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
        number("adds, nats", beyond, evidence, "effect", "nats_text"),
        number("share", `Share ${whole}`, evidence, "share", "share_text"),
        number("p", "Of the test given the other selected features", evidence, "p", "p_text"),
        ...qColumn,
        number("alone, nats", "Nats given nothing", alone, "effect", "nats_text"),
        number("its share", `Share alone, ${whole}`, alone, "share", "share_text"),
        ...stabilityColumn(selected),
        ...(selected.some((f) => remarks(f)) ? [{label: "remarks", value: remarks}] : []),
      ],
    }),
    el(
      "p",
      {class: "note"},
      `Share: ${whole}.${data.stability ? ` Stable: ${data.stability.legend}.` : ""}`,
    ),
    ...(data.stability?.come_and_go ?? []).map((line) => el("p", {class: "exchange"}, line)),
  );
}

export function whyNotSection() {
  if (!excluded.length) return;
  section(
    "why-not",
    "Why not the others",
    table({
      caption: "Why each of the other features is left out. Open a feature to read more.",
      rows: excluded,
      unit: "feature",
      more: (f) => story(data, f),
      search: excluded.length > 12 ? (f) => `${f.name} ${f.why}`.toLowerCase() : null,
      columns: [
        {label: "feature", value: (f) => f.name},
        {label: "why it is not selected", value: (f) => f.why},
        number("adds, nats", beyond.replace("the other", "the"), evidence, "effect", "nats_text"),
        number("p", "Of the test given the selected features", evidence, "p", "p_text"),
        ...qColumn,
        number("alone, nats", "Nats given nothing", alone, "effect", "nats_text"),
        ...stabilityColumn(excluded),
      ],
    }),
  );
}
