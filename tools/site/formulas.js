// Sets the formulas that arithmatex marks, \(…\) and \[…\], with the KaTeX beside the pages.
for (const place of document.querySelectorAll(".arithmatex")) {
  const text = place.textContent.trim();
  katex.render(text.slice(2, -2), place, { displayMode: text.startsWith("\\["), throwOnError: true });
}
