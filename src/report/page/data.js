// The result that stands in the page (src/report/report_data.cpp writes it).

export const data = JSON.parse(document.getElementById("data").textContent);

/** Strongest first. */
const ordered = (data.order ?? []).map((i) => data.features[i]);
export const selected = ordered.filter((f) => f.role !== "excluded");
export const excluded = ordered.filter((f) => f.role === "excluded");
