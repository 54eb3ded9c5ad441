// Elements without markup: every text goes in as text, so that no name in the data can become an element.

/** An element with properties (class, attributes, on… listeners) and children; strings become text nodes. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A section of the page with its heading and an entry in the table of contents. */
export function section(id, title, ...children) {
  document.getElementById("contents").append(el("a", {href: `#${id}`}, title));
  const element = el(
    "section",
    {id, "aria-labelledby": `${id}-title`},
    el("h2", {id: `${id}-title`}, title),
    ...children,
  );
  document.getElementById("main").append(element);
  return element;
}

/** Hands a text to the reader as a file. */
export function download(name, type, text) {
  const link = el("a", {download: name, href: URL.createObjectURL(new Blob([text], {type}))});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
