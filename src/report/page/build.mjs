// Bundles the report page and the experiments' page into a C++ source with one string each: node build.mjs PACKAGES OUTPUT.cpp
// PACKAGES is the directory with node_modules that tools/fetch_report_packages made.
import {createHash} from "node:crypto";
import {readFileSync, readdirSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {dirname, join, resolve} from "node:path";
import {fileURLToPath} from "node:url";

const [packages, output] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(packages, "package.json"))("esbuild");
const {dependencies} = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));

const shared = {bundle: true, minify: true, write: false, logLevel: "warning", charset: "utf8", legalComments: "none"};
const text = (result) => result.outputFiles[0].text.trim();
const style = text(await esbuild.build({...shared, entryPoints: [join(here, "style.css")], target: "chrome100"}));

const bundled = (entry) =>
  esbuild.build({
    ...shared,
    metafile: true,
    entryPoints: [join(here, entry)],
    nodePaths: [join(packages, "node_modules")],
    format: "iife",
    target: "es2020",
    define: {PACKAGE_VERSIONS: JSON.stringify(dependencies)},
  });

/** The licenses of the packages whose code is in the bundle: each distinct text once, after the copyrights it covers. */
function notices(bundle) {
  const used = new Set(
    Object.keys(bundle.metafile.inputs)
      .map((path) => path.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[0])
      .filter(Boolean),
  );
  const texts = new Map();
  for (const folder of [...used].sort()) {
    const {name, version} = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no license file`);
    const lines = readFileSync(join(folder, file), "utf8").trim().split("\n");
    const terms = lines
      .filter((line) => !/^Copyright/.test(line))
      .join("\n")
      .trim();
    const owners = lines.filter((line) => /^Copyright/.test(line)).join("; ");
    texts.set(terms, [...(texts.get(terms) ?? []), `${name} ${version}: ${owners}`]);
  }
  const whole = [...texts].map(([terms, packages]) => `${packages.join("\n")}\n\n${terms}`).join("\n\n");
  return `This page holds code of these packages.\n\n${whole}`.replaceAll("--", "- -");
}

// A function as the replacement: "$&" in the script must stay what it is.
const put = (page, mark, value) => {
  if (page.split(mark).length !== 2) throw new Error(`index.html must hold ${mark} once`);
  return page.replace(mark, () => value);
};
/** The page of one entry script as raw literals of a size that every compiler takes. */
async function literals(entry) {
  const bundle = await bundled(entry);
  const script = text(bundle).replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  for (const mark of ["%TITLE%", "%ANSWER%", "%CONSEQUENCE%", "%DATA%"])
    if (script.includes(mark) || style.includes(mark)) throw new Error(`${mark} is kept for the data`);
  let page = readFileSync(join(here, "index.html"), "utf8");
  page = put(page, "%SCRIPT_HASH%", `sha256-${createHash("sha256").update(script).digest("base64")}`);
  page = put(page, "%NOTICES%", notices(bundle));
  page = put(page, "%STYLE%", style);
  page = put(page, "%SCRIPT%", script);
  if (page.includes(")~page~")) throw new Error("the page holds the delimiter of its own literal");
  return page
    .match(/[^]{1,12000}/g)
    .map((chunk) => `R"~page~(${chunk})~page~"`)
    .join("\n");
}

const getter = async (name, entry) => `std::string_view ${name}() {
  static constexpr char page[] =
${await literals(entry)};
  return {page, sizeof page - 1};
}`;
writeFileSync(
  output,
  `// Made by src/report/page/build.mjs.
#include "report/html.hpp"

namespace macmi::report {
${await getter("report_page", "main.js")}

${await getter("experiment_page", "experiment.js")}
}  // namespace macmi::report
`,
);
