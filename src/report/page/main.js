// From the data in the page to what is seen, in the order of a reader's questions.
import {data} from "./data.js";
import {el, section} from "./dom.js";
import {evaluationParts} from "./evaluation.js";
import {selectedSection, whyNotSection} from "./features.js";
import {count, nats, pValue} from "./format.js";
import {graphFigure} from "./graph.js";
import {mapPanels, trainingFigure} from "./learned.js";
import {table} from "./table.js";

function top() {
  const facts = [
    `${count(data.samples, "sample")}`,
    count(data.features.length, "feature"),
    count(data.tests, "test"),
    {knn: "k-nearest-neighbour tests", fisherz: "partial correlation"}[data.method] ?? data.method.toUpperCase(),
  ];
  document
    .getElementById("facts")
    .append(
      el("strong", {}, data.no_children ? "Direct causes of " : "Markov blanket of ", data.target),
      ` · ${facts.join(" · ")}`,
    );
  const theme = el(
    "button",
    {
      type: "button",
      class: "theme",
      onclick: () => {
        const dark = document.documentElement.dataset.theme
          ? document.documentElement.dataset.theme === "dark"
          : matchMedia("(prefers-color-scheme: dark)").matches;
        document.documentElement.dataset.theme = dark ? "light" : "dark";
      },
    },
    "Light / dark",
  );
  document.querySelector("header").append(theme);
  if (data.remarks.length)
    document.querySelector("header").append(
      el(
        "ul",
        {class: "remarks"},
        data.remarks.map((remark) => el("li", {}, `${remark}.`)),
      ),
    );
}

function healthSection() {
  section(
    "health",
    "Data health",
    data.health.length
      ? el(
          "ul",
          {},
          data.health.map((line) => el("li", {}, line)),
        )
      : el(
          "p",
          {},
          "Nothing to report: no missing or infinite values, no constant or duplicate columns, no heavy ties.",
        ),
  );
}

function testsSection() {
  const rows = data.log.rows.map(([feature, given, stage, dependent, effect, p, n, k, permutations], i) => ({
    i,
    feature: data.features[feature].name,
    given: given.map((i) => data.features[i].name).join(", "),
    size: given.length,
    stage: data.log.stages[stage],
    dependent,
    effect,
    p,
    n,
    k,
    permutations,
  }));
  if (!rows.length) return;
  const said = (row) => (row.dependent === null ? "not made" : row.dependent ? "dependent" : "independent");
  for (const row of rows) row.text = `${row.feature} ${row.given} ${row.stage} ${said(row)}`.toLowerCase();
  const plain = (label, key, hint) => ({
    label,
    hint,
    numeric: true,
    value: (row) => row[key],
    cell: (row) => String(row[key]),
  });
  section(
    "tests",
    "Every test",
    table({
      caption: `Every test the search used, in its order: does the feature depend on ${data.target} given these?`,
      rows,
      unit: "test",
      search: (row) => row.text,
      columns: [
        {label: "no.", numeric: true, value: (row) => row.i + 1, cell: (row) => String(row.i + 1)},
        {label: "feature", value: (row) => row.feature},
        {label: "given", value: (row) => row.given, cell: (row) => row.given || "nothing"},
        {label: "says", value: said},
        {label: "effect, nats", numeric: true, value: (row) => row.effect, cell: (row) => nats(row.effect)},
        {label: "p", numeric: true, value: (row) => row.p, cell: (row) => pValue(row.p)},
        {label: "stage", value: (row) => row.stage},
        plain("samples", "n"),
        plain("k", "k", "Neighbours"),
        plain("permutations", "permutations"),
      ],
    }),
  );
}

function settingsSection() {
  const {command, source, seconds, threads, ranks, efficiency_text: busy, tests_made: made} = data.timing;
  const workers = ranks ? `${count(ranks, "rank")}, ${busy} of their time in tests` : count(threads, "thread");
  const copy =
    command &&
    el(
      "button",
      {
        type: "button",
        onclick: async () => {
          await navigator.clipboard.writeText(command);
          copy.textContent = "Copied";
        },
      },
      "Copy",
    );
  const facts = [
    ["macmi", data.version],
    ...Object.entries(PACKAGE_VERSIONS),
    ["read", source],
    [
      "took",
      seconds ? `${seconds} s on ${workers}, ${count(made, "test")} made (some ahead in vain)` : "",
    ],
  ].filter(([, value]) => value);
  const list = (entries) =>
    el(
      "dl",
      {},
      entries.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value === "" ? "-" : value))),
    );
  section(
    "settings",
    "Settings and how to repeat this",
    command && el("p", {}, "The same result again, bit for bit:"),
    command &&
      el(
        "div",
        {class: "command"},
        el("pre", {tabindex: "0"}, el("code", {}, command)),
        navigator.clipboard ? copy : null,
      ),
    list(data.settings.map(([name, value]) => [`--${name}`, value])),
    el("h3", {}, "Versions and time"),
    list(facts),
  );
}

top();
selectedSection();
if (data.features.some((f) => f.role !== "excluded" || f.separating?.length))
  section("graph", "How they hang together", graphFigure(data));
whyNotSection();
if (data.maps.length) section("maps", "The learned maps", ...mapPanels(data));
if (data.training.length) section("training", "Training", trainingFigure(data));
if (data.evaluation) section("evaluation", "What a predictor makes of them", ...evaluationParts(data));
healthSection();
testsSection();
settingsSection();
document.documentElement.dataset.ready = "true";
