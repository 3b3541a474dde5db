import { type CheckResult, fails, type Finding } from "../check/findings.js";
import { escapeXml } from "./escape.js";

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const failing = ({ findings, fail_on: failOn }: CheckResult) => findings.filter((finding) => fails(finding, failOn));

/** Says in one sentence how the check ended, and in further ones that crawls did not find all pages. */
const sentenceOf = (result: CheckResult): string => [outcomeIn(result), ...result.cut_off].join(" ");

function outcomeIn(result: CheckResult): string {
  const waiting = result.findings.filter(({ waits }) => waits).length;
  const { object, against, total, unchanged, findings } = result;
  const compared = `${object.name}, compared with ${against}: ${unchanged} of ${counted(total, "page")} unchanged`;
  if (findings.length === 0) return `${compared}, nothing differs.`;
  if (waiting === 0) return `${compared}, all differences are accepted.`;
  const mild = failing(result).length === 0 ? ", none of which fails the check" : "";
  return `${compared}, ${counted(waiting, "finding")} to review${mild}.`;
}

const stateOf = ({ waits, said }: Finding): string =>
  said?.verdict === "problem" ? "problem" : waits ? "waits" : (said?.verdict ?? "accepted");

/** Formats findings as lines of text. @param findings findings, with their fingerprint if they can be accepted by it */
export function textOfFindings(findings: readonly (Finding & { fingerprint?: string | null })[]): string {
  const lines = findings.flatMap((finding) => [
    `${finding.kind.padEnd(7)} ${stateOf(finding).padEnd(8)} ${finding.title}${finding.fingerprint == null ? "" : `  ${finding.fingerprint}`}`,
    ...finding.details.split("\n").flatMap((line) => (line === "" ? [] : [`        ${line}`])),
  ]);
  return lines.length === 0 ? "" : `${lines.map(printable).join("\n")}\n`;
}

/**
 * Neutralises text of pages, so that it cannot command a terminal or the log of a pipeline. GitHub obeys `::…` at the beginning of a line
 * and `##[…` anywhere, Azure `##vso[…` and TeamCity `##teamcity[…`.
 */
export const printable = (line: string): string =>
  line
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, " ")
    .replaceAll(/(^|\s)::/g, "$1: :")
    .replaceAll(/##(?=\w*\[)/g, "# #");

/** Formats a result for a terminal or a log. */
export function toText(result: CheckResult): string {
  const review = result.review === "" ? "" : `Review: ${result.review}\n`;
  return `${textOfFindings(result.findings)}${printable(sentenceOf(result))}\n${review}`;
}

/** Limit for Markdown: GitHub shows no summary of more than 1 MiB, and GitLab no comment of more than 1 MB. */
const markdownMaxBytes = 900_000;

/**
 * Formats a result as Markdown, for the summary of a job or a comment. Findings that make the check fail come first; those beyond the size
 * limit are only counted.
 */
export function toMarkdown(result: CheckResult): string {
  const linked = (text: string, link: string) => (link === "" ? text : `[${text}](${link})`);
  // text of pages must not act as markup, a mention or a link
  const inCode = (text: string) => text.replaceAll("`", "'").replaceAll(/[\r\n|]+/g, " ");
  const first = new Set(failing(result));
  const ordered = [...first, ...result.findings.filter((finding) => !first.has(finding))];
  const rows: string[] = [];
  let left = markdownMaxBytes;
  for (const finding of ordered) {
    const row = `| ${finding.kind} | ${stateOf(finding)} | ${linked(`\`${inCode(finding.title)}\``, finding.link)} | \`${inCode(finding.details) || " "}\` |`;
    left -= Buffer.byteLength(row) + 1;
    if (left < 0) break;
    rows.push(row);
  }
  const unsaid = ordered.length - rows.length;
  const table = [
    ...(rows.length === 0 ? [] : ["| kind | state | page | what |", "| --- | --- | --- | --- |", ...rows, ""]),
    ...(unsaid === 0 ? [] : [`And ${counted(unsaid, "finding")} more.`, ""]),
  ];
  return `${[`### ${result.outcome === "clean" ? "✅" : "❌"} ${escapeXml(sentenceOf(result))}`, "", ...table, ...(result.review === "" ? [] : [`[Review](${result.review})`])].join("\n")}\n`;
}

/** Formats a result as JUnit XML: a test case for each finding; those that make the check fail are failures. */
export function toJUnit(result: CheckResult): string {
  const { findings, object, review } = result;
  const cases = findings.map(
    (finding) =>
      `  <testcase classname="${finding.kind}" name="${escapeXml(finding.title)}">${
        fails(finding, result.fail_on)
          ? `<failure message="${escapeXml(`${finding.kind}: ${finding.title}`)}">${escapeXml(`${finding.details}\n${finding.link}`)}</failure>`
          : ""
      }</testcase>`,
  );
  const all = cases.length === 0 ? [`  <testcase classname="compared" name="nothing differs"/>`] : cases;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites><testsuite name="${escapeXml(object.name)}" tests="${all.length}" failures="${failing(result).length}" errors="0">`,
    ...all,
    `  <system-out>${escapeXml([review, ...result.cut_off].join("\n"))}</system-out>`,
    `</testsuite></testsuites>`,
    "",
  ].join("\n");
}

/** JUnit's XML of a check that could not run: without it a pipeline shows no test at all, or the report of the time before. */
export function toJUnitError(object: string, why: string): string {
  const name = escapeXml(object);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="${name}" tests="1" failures="0" errors="1">
  <testcase classname="check" name="${name}"><error message="${escapeXml(why)}"/></testcase>
</testsuite></testsuites>
`;
}

/** The same for the summary of a job. */
export const toMarkdownError = (object: string, why: string): string =>
  `### ❌ ${escapeXml(printable(object))} could not be checked\n\n\`\`\`text\n${why.split("\n").map(printable).join("\n").replaceAll("`", "'")}\n\`\`\`\n`;

/** A page that is complete in itself: nothing is loaded, nothing is run. */
export function toHtml(result: CheckResult): string {
  const linked = (text: string, link: string) =>
    link === "" ? escapeXml(text) : `<a href="${escapeXml(link)}">${escapeXml(text)}</a>`;
  const rows = result.findings.map(
    (finding) =>
      `<tr data-state="${stateOf(finding)}"><td>${finding.kind}</td><td>${stateOf(finding)}</td><td>${linked(finding.title, finding.link)}<pre>${escapeXml(finding.details)}</pre></td></tr>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeXml(result.object.name)}</title><style>
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}td{border-top:1px solid #8884;padding:.5rem;vertical-align:top}
pre{margin:.25rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere}tr[data-state=waits] td:nth-child(2),tr[data-state=problem] td:nth-child(2){color:#c33;font-weight:600}
</style></head><body><h1>${escapeXml(result.object.name)}</h1><p>${escapeXml(sentenceOf(result))} ${result.review === "" ? "" : linked("Review", result.review)}</p>
<table>${rows.join("\n")}</table></body></html>
`;
}
