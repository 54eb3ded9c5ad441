// Numbers and names as the terminal shows them (src/report/numbers.cpp).

export function nats(value) {
  if (value === null) return "-";
  return Math.abs(value) < 0.01 ? value.toFixed(4) : value.toFixed(3);
}

export function pValue(p) {
  if (p === null) return "-";
  if (p < 1e-300) return "<1e-300";
  return p < 1e-4 ? p.toExponential(0) : String(Number(p.toPrecision(2)));
}

export const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** At most `most` characters, the middle left out: names often differ at their ends. */
export function shortened(name, most) {
  const characters = [...name];
  const end = Math.floor((most - 1) / 3);
  return characters.length <= most
    ? name
    : `${characters.slice(0, most - 1 - end).join("")}…${characters.slice(characters.length - end).join("")}`;
}

/** "a, b and c"; after `most` names, how many more there are. */
export function list(names, most = 6) {
  const shown = names.length <= most ? names : [...names.slice(0, most - 1), `${names.length - most + 1} others`];
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}
