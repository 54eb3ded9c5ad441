// Tables that sort by any column, filter by words, and open a row to tell more.
import {el} from "./dom.js";
import {count} from "./format.js";

const compare = (a, b) =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", {numeric: true});

/** What is absent comes last, whichever way the others are sorted. */
function sorted(rows, value, direction) {
  const absent = (row) => value(row) === null || value(row) === undefined;
  const present = rows.filter((row) => !absent(row)).sort((a, b) => direction * compare(value(a), value(b)));
  return [...present, ...rows.filter(absent)];
}

/**
 * columns: {label, value(row) for sorting, cell(row) for showing (default: the value), numeric, hint}.
 * more(row): what a row tells when it is opened. search(row): the text that the filter looks in.
 * unit: what a row is ("test"). atOnce: rows shown before "Show all".
 */
export function table({caption, columns, rows, more, search, unit = "row", atOnce = 100}) {
  let shown = rows,
    words = [],
    sort = null,
    all = false;
  const body = el("tbody");
  const status = el("p", {class: "status", role: "status"});
  const showAll = el(
    "button",
    {
      type: "button",
      onclick: () => {
        all = true;
        fill();
      },
    },
    "Show all",
  );

  const rowElements = (row) => {
    const cells = columns.map((column) =>
      el("td", {class: column.numeric ? "number" : null}, (column.cell ?? column.value)(row) ?? ""),
    );
    if (!more) return [el("tr", {}, cells)];
    const details = el("tr", {class: "more", hidden: true}, el("td", {colspan: columns.length}));
    const open = el(
      "button",
      {
        type: "button",
        class: "open",
        "aria-expanded": "false",
        onclick: () => {
          details.hidden = !details.hidden;
          open.setAttribute("aria-expanded", String(!details.hidden));
          if (!details.firstChild.firstChild) details.firstChild.append(...more(row));
        },
      },
      ...cells[0].childNodes,
    );
    cells[0].replaceChildren(open);
    return [el("tr", {}, cells), details];
  };

  const fill = () => {
    const found = words.length ? shown.filter((row) => words.every((word) => search(row).includes(word))) : shown;
    const visible = all ? found : found.slice(0, atOnce);
    body.replaceChildren(...visible.flatMap(rowElements));
    showAll.hidden = visible.length === found.length;
    status.textContent =
      visible.length === found.length && found.length === rows.length
        ? count(rows.length, unit)
        : `${visible.length.toLocaleString("en")} of ${count(found.length, unit)}${found.length < rows.length ? " found" : ""}`;
  };

  // Columns of text are as wide as their longest entry, within reason: names would otherwise break at every letter.
  const text = (column, row) => {
    const cell = (column.cell ?? column.value)(row);
    return String((typeof cell === "object" ? column.value(row) : cell) ?? "");
  };
  const room = (column) => Math.min(column === columns[0] ? 22 : 15, Math.max(...rows.map((row) => [...text(column, row)].length)) + 3);
  const headings = columns.map((column, at) => {
    const heading = el("th", {
      scope: "col",
      class: column.numeric ? "number" : null,
      title: column.hint,
      style: column.numeric ? null : `min-width:min(${room(column)}ch,42vw)`,
    });
    if (!column.label) return heading;
    heading.append(
      el(
        "button",
        {
          type: "button",
          onclick: () => {
            const direction = sort?.at === at ? -sort.direction : 1;
            sort = {at, direction};
            headings.forEach((other) => other.removeAttribute("aria-sort"));
            heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
            shown = sorted(rows, column.value, direction);
            fill();
          },
        },
        column.label,
      ),
    );
    return heading;
  });

  const filter =
    search &&
    el(
      "label",
      {class: "filter"},
      `Find ${unit}s `,
      el("input", {
        type: "search",
        placeholder: "words, all of which must occur",
        oninput: (event) => {
          words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
          fill();
        },
      }),
    );
  fill();
  return el(
    "div",
    {class: "table"},
    filter,
    el("p", {class: "caption"}, caption),
    el(
      "div",
      {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
      el("table", {"aria-label": caption}, el("thead", {}, el("tr", {}, headings)), body),
    ),
    el("div", {class: "below"}, (search || rows.length > atOnce) && status, showAll),
  );
}
