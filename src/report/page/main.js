// From the data in the page to what is seen, in the order of a reader's questions.
import {el, section} from "./dom.js";
import {effectsFigure, story} from "./effects.js";
import {count, nats, pValue} from "./format.js";
import {graphFigure} from "./graph.js";
import {mapPanels, trainingFigure} from "./learned.js";
import {table} from "./table.js";

const data = JSON.parse(document.getElementById("data").textContent);
const ordered = data.order ? data.order.map((i) => data.features[i]) : [];
const selected = ordered.filter((f) => f.role !== "excluded");
const excluded = ordered.filter((f) => f.role === "excluded");
const names = (places) => places.map((i) => data.features[i].name);

function frequency(f) {
  const share = f.selected_in / data.stability.subsamples;
  return el("span", {class: "frequency"}, `${f.selected_in} of ${data.stability.subsamples}`, el("span", {class: "bar", "aria-hidden": "true"}, el("span", {style: `width:${100 * share}%`})));
}

const number = (label, hint, result, key, text) => ({label, hint, numeric: true, value: (f) => result(f)?.[key] ?? null, cell: (f) => result(f)?.[text] ?? ""});
const deciding = (f) => f.deciding, marginal = (f) => f.marginal;
const stabilityColumn = data.stability ? [{label: "selected in", hint: `Searches on random ${data.stability.share_text} of the samples`, numeric: true, value: (f) => f.selected_in, cell: frequency}] : [];

function remarks(f) {
  const copies = data.features.filter((other) => other.same_as !== undefined && data.features[other.same_as] === f).map((other) => other.name);
  return [f.reason === "must" && "--must", !f.re_tested && !data.no_children && !data.partial && "not re-tested", copies.length && `same as ${copies.join(", ")}`, f.near > 0 && "close to the limit"]
    .filter(Boolean).join("; ");
}

function top() {
  const facts = [`${count(data.samples, "sample")}`, count(data.features.length, "feature"), count(data.tests, "test"), data.method === "knn" ? "k-nearest-neighbour tests" : "partial correlation"];
  if (data.stability) facts.push(count(data.stability.subsamples, "subsample"));
  document.getElementById("facts").append(el("strong", {}, data.no_children ? "Direct causes of " : "Markov blanket of ", data.target), ` · ${facts.join(" · ")}`);
  const theme = el("button", {type: "button", class: "theme", onclick: () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  }}, "Light / dark");
  document.querySelector("header").append(theme);
  if (data.remarks.length) document.querySelector("header").append(el("ul", {class: "remarks"}, data.remarks.map((remark) => el("li", {}, `${remark}.`))));
}

function selectedSection() {
  const whole = data.categorical ? `of the entropy of ${data.target}, ${data.entropy_text} nats` : `of the variance of ${data.target}, as this much information explains between Gaussians (R²)`;
  if (!selected.length) return section("selected", "Selected features", el("p", {}, "None. The strongest candidates:"), el("ul", {}, data.advice.map((line) => el("li", {}, line))));
  return section("selected", "Selected features", effectsFigure(data, selected), table({
    caption: "What each selected feature adds to the others, and what it tells alone. Open a feature to read why it is in.", rows: selected, unit: "feature", more: (f) => story(data, f),
    columns: [
      {label: "feature", value: (f) => f.name}, {label: "role", value: (f) => f.role, cell: (f) => el("span", {class: `role ${f.role}`}, f.role)},
      number("adds, nats", "Nats above chance, given the other selected features", deciding, "effect", "nats_text"), number("share", `Share ${whole}`, deciding, "share", "share_text"), number("p", "Of this test", deciding, "p", "p_text"),
      number("alone, nats", "Nats above chance, given nothing", marginal, "effect", "nats_text"), number("share alone", `Share ${whole}`, marginal, "share", "share_text"), number("p alone", "Of the test given nothing", marginal, "p", "p_text"),
      ...stabilityColumn, ...(selected.some((f) => remarks(f)) ? [{label: "remarks", value: remarks}] : []),
    ]}), el("p", {class: "note"}, `Share: ${whole}.${data.stability ? ` Selected in: of ${data.stability.subsamples} searches, each on random ${data.stability.share_text} of the samples.` : ""}`));
}

function whyNotSection() {
  if (!excluded.length) return;
  section("why-not", "Why not the others", table({
    caption: "What made each of the other features superfluous. Open a feature to read more.", rows: excluded, unit: "feature", more: (f) => story(data, f), search: excluded.length > 12 ? (f) => `${f.name} ${f.why}`.toLowerCase() : null,
    columns: [
      {label: "feature", value: (f) => f.name}, {label: "why it is not selected", value: (f) => f.why},
      number("left, nats", "Nats above chance that were left, given what made it redundant", (f) => f.reason === "tested" ? f.deciding : null, "effect", "nats_text"), number("p", "Of this test", (f) => f.reason === "tested" ? f.deciding : null, "p", "p_text"),
      number("alone, nats", "Nats above chance, given nothing", marginal, "effect", "nats_text"), number("p alone", "Of the test given nothing", marginal, "p", "p_text"), ...stabilityColumn,
    ]}));
}

function healthSection() {
  section("health", "Data health", data.health.length ? el("ul", {}, data.health.map((line) => el("li", {}, line)))
    : el("p", {}, "Nothing to report: no missing or infinite values, no constant or duplicate columns, no heavy ties."));
}

function testsSection() {
  const rows = data.log.rows.map(([feature, given, stage, dependent, effect, p, n, k, permutations], i) => ({i, feature: data.features[feature].name, given: names(given).join(", "), size: given.length, stage: data.log.stages[stage], dependent, effect, p, n, k, permutations}));
  if (!rows.length) return;
  const said = (row) => row.dependent === null ? "not made" : row.dependent ? "dependent" : "independent";
  for (const row of rows) row.text = `${row.feature} ${row.given} ${row.stage} ${said(row)}`.toLowerCase();
  const plain = (label, key, hint) => ({label, hint, numeric: true, value: (row) => row[key], cell: (row) => String(row[key])});
  section("tests", "Every test", table({
    caption: `Every test the search used, in its order: does the feature depend on ${data.target} given these?`, rows, unit: "test", search: (row) => row.text,
    columns: [
      {label: "no.", numeric: true, value: (row) => row.i + 1, cell: (row) => String(row.i + 1)}, {label: "feature", value: (row) => row.feature}, {label: "given", value: (row) => row.given, cell: (row) => row.given || "nothing"}, {label: "says", value: said},
      {label: "effect, nats", numeric: true, value: (row) => row.effect, cell: (row) => nats(row.effect)}, {label: "p", numeric: true, value: (row) => row.p, cell: (row) => pValue(row.p)},
      {label: "stage", value: (row) => row.stage}, plain("samples", "n"), plain("k", "k", "Neighbours"), plain("permutations", "permutations"),
    ]}));
}

function settingsSection() {
  const {command, source, seconds, threads, tests_made: made} = data.timing;
  const copy = command && el("button", {type: "button", onclick: async () => {
    await navigator.clipboard.writeText(command);
    copy.textContent = "Copied";
  }}, "Copy");
  const facts = [["macmi", data.version], ...Object.entries(PACKAGE_VERSIONS), ["read", source], ["took", seconds ? `${seconds} s on ${count(threads, "thread")}, ${count(made, "test")} made (some ahead in vain)` : ""]].filter(([, value]) => value);
  const list = (entries) => el("dl", {}, entries.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value === "" ? "-" : value))));
  section("settings", "Settings and how to repeat this", command && el("p", {}, "The same result again, bit for bit:"), command && el("div", {class: "command"}, el("pre", {tabindex: "0"}, el("code", {}, command)), navigator.clipboard ? copy : null),
    list(data.settings.map(([name, value]) => [`--${name}`, value])), el("h3", {}, "Versions and time"), list(facts));
}

top();
selectedSection();
if (data.features.some((f) => f.role !== "excluded" || f.separating?.length)) section("graph", "How they hang together", graphFigure(data));
whyNotSection();
if (data.maps.length) section("maps", "The learned maps", ...mapPanels(data));
if (data.training.length) section("training", "Training", trainingFigure(data));
healthSection();
testsSection();
settingsSection();
document.documentElement.dataset.ready = "true";
