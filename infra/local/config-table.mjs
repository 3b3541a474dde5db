// @ts-check
/**
 * Command: writes the tables of all settings, those of the services and those of an object, into the operator's guide, from the schemas
 * that parse them. Needs the build (`npm run build`). With `--check` it writes nothing and fails if the guide is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingNames, settingOf } from "@web-tester/contracts/object-settings";
import { configVariables } from "@web-tester/platform/config/config";
import { root } from "./bootstrap/project.mjs";

const guide = join(root, "docs", "operations.md");

const written = withTable(
  withTable(readFileSync(guide, "utf8"), "settings", variables()),
  "settings of an object",
  settings(),
);
if (process.argv[2] === "--check") {
  if (readFileSync(guide, "utf8") !== written) {
    console.error("docs/operations.md does not list the settings as they are. Run: node infra/local/config-table.mjs");
    process.exitCode = 1;
  }
} else writeFileSync(guide, written);

/** @param {string} text @param {string} name of the text between the two marks @param {string[][]} rows */
function withTable(text, name, rows) {
  const begin = `<!-- ${name}: written by infra/local/config-table.mjs -->`;
  const end = `<!-- end of ${name} -->`;
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/operations.md lacks the lines "${begin}" and "${end}"`);
  return `${text.slice(0, from + begin.length)}\n\n${table(rows)}\n\n${text.slice(to)}`;
}

/** @param {string[][]} rows the first of them names the columns */
function table([head = [], ...rows]) {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")));
  return [head, head.map(() => "---"), ...escaped].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function variables() {
  const rows = configVariables.map(({ name, description, write, initial, required, secret }) => [
    `\`${name}\``,
    required ? "**required**" : initial === null ? "unset" : `\`${initial}\``,
    `${description}. Write ${write}.${secret ? " Secret." : ""}`,
  ]);
  return [["variable", "default", "meaning"], ...rows];
}

function settings() {
  const rows = settingNames.map((name) => {
    const { label, help, initial, choices, min, max, unit, heldByRun } = settingOf(name);
    const values = [
      choices === undefined ? "" : choices.map(({ value }) => `\`${value}\``).join(", "),
      max === undefined ? "" : `${min} to ${max}${unit === undefined ? "" : ` ${unit}`}`,
    ].join("");
    const usual = initial === null ? "no limit" : initial === "" || String(initial) === "" ? "none" : `\`${initial}\``;
    return [
      `\`${name}\``,
      label,
      usual,
      values,
      `${help}.${heldByRun ? " A run keeps the value that it began with." : ""}`,
    ];
  });
  return [["setting", "in the form", "default", "values", "meaning"], ...rows];
}
