// @ts-check
/**
 * Command: writes the table of all settings into the operator's guide, from the schema that reads them. Needs the build
 * (`npm run build`). With `--check` it writes nothing and fails where the guide is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configVariables } from "@web-tester/platform/config/config";
import { root } from "./bootstrap/project.mjs";

const guide = join(root, "docs", "operations.md");
const begin = "<!-- settings: written by infra/local/config-table.mjs -->";
const end = "<!-- end of settings -->";

const written = withTable(readFileSync(guide, "utf8"));
if (process.argv[2] === "--check") {
  if (readFileSync(guide, "utf8") !== written) {
    console.error("docs/operations.md does not list the settings as they are. Run: node infra/local/config-table.mjs");
    process.exitCode = 1;
  }
} else writeFileSync(guide, written);

/** @param {string} text */
function withTable(text) {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/operations.md lacks the lines "${begin}" and "${end}"`);
  return `${text.slice(0, from + begin.length)}\n\n${table()}\n\n${text.slice(to)}`;
}

function table() {
  const rows = configVariables.map(({ name, description, write, initial, required, secret }) => {
    const value = required ? "**required**" : initial === null ? "unset" : `\`${initial}\``;
    return [`\`${name}\``, value, `${description}. Write ${write}.${secret ? " Secret." : ""}`].map((cell) =>
      cell.replaceAll("|", "\\|").replaceAll("\n", " "),
    );
  });
  return [["variable", "default", "meaning"], ["---", "---", "---"], ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}
