import { type Command, InvalidArgumentError } from "commander";
import { type CheckResult, type FailKind, failKinds } from "../check/findings.js";
import { type CheckedPart, checkedParts, runCheck } from "../check/run-check.js";
import { CannotRun, wordsOf } from "../client.js";
import { toHtml, toJUnit, toJUnitError, toMarkdown, toMarkdownError, toText } from "../report/reports.js";
import { type Report, writeReports } from "../report/write-reports.js";
import { exitCodes, type Session } from "../session.js";
import { readLabel } from "./read-label.js";
import { pipelineOf } from "../check/pipeline.js";

interface CheckCommand {
  against: string;
  crawl?: boolean;
  fetch: boolean;
  maxPages?: number;
  label?: string;
  only?: ReadonlySet<CheckedPart>;
  failOn?: ReadonlySet<FailKind>;
  commit?: string;
  branch?: string;
  pipeline?: string;
  junit?: string;
  markdown?: string;
  html?: string;
  report?: string;
  text?: string;
}

/** Adds the command `check`. */
export function addCheck(program: Command, session: Session): void {
  program
    .command("check <object>")
    .description(
      "fetch a site, compare it, and fail while differences wait for review; an unknown address is registered",
    )
    .option(
      "--against <what>",
      "previous, baseline, label:NAME, run:NUMBER, object:NAME, an address, or a time",
      "baseline",
    )
    .option("--crawl", "look for new pages first")
    .option("--no-fetch", "compare what was fetched already")
    .option("--max-pages <count>", "maximum number of pages that a crawl finds", readCount)
    .option("--label <label>", "label for this fetch", readLabel)
    .option("--only <parts>", `what counts: ${checkedParts.join(",")}; all but visual by default`, readOnly)
    .option("--fail-on <kinds>", `what makes it fail: ${failKinds.join(",")}; all of them by default`, readKinds)
    .option("--commit <hash>", "of the release; known from the environment of most pipelines")
    .option("--branch <name>", "of the release; known as well")
    .option("--pipeline <url>", "where the pipeline is looked at; known as well")
    .option("--text <file>", "write the printed text")
    .option("--junit <file>", "write JUnit XML")
    .option("--markdown <file>", "write Markdown, for the summary of a job or a comment")
    .option("--html <file>", "write a report that opens in a browser")
    .option("--report <file>", "write the same as --json prints")
    .action((object: string, options: CheckCommand) => check(session, object, options));
}

async function check(session: Session, object: string, options: CheckCommand): Promise<void> {
  const result = await compared(session, object, options).catch(async (error: unknown) => {
    const why = session.signal.aborted ? "It was stopped." : wordsOf(error);
    // what could not run is said on the screen in any case
    const reports: Report[] = [
      [options.junit, () => toJUnitError(object, why)],
      [options.markdown, () => toMarkdownError(object, why)],
    ];
    await writeReports(reports, session.signal);
    throw error;
  });
  session.print(result, toText(result));
  session.code = exitCodes[result.outcome];
  const reports: Report[] = [
    [options.text, () => toText(result)],
    [options.junit, () => toJUnit(result)],
    [options.markdown, () => toMarkdown(result)],
    [options.html, () => toHtml(result)],
    [options.report, () => `${JSON.stringify(result, null, 2)}\n`],
  ];
  const faults = await writeReports(reports, session.signal);
  if (faults.length > 0) throw new CannotRun(faults.join("\n"));
}

async function compared(session: Session, object: string, options: CheckCommand): Promise<CheckResult> {
  if (!options.fetch && options.label !== undefined)
    throw new CannotRun("Only a fetch can get a label: remove --label or --no-fetch.");
  const known = pipelineOf(session.parts.env);
  return runCheck(
    {
      ...{ object, against: options.against, label: options.label ?? null },
      failOn: options.failOn ?? new Set(failKinds),
      ...{ crawl: options.crawl === true, fetch: options.fetch, maxPages: options.maxPages ?? null },
      only: options.only ?? null,
      commit: said(options.commit) ?? known.commit,
      branch: said(options.branch) ?? known.branch,
      pipelineUrl: said(options.pipeline) ?? known.url,
    },
    session,
  );
}

/** Ignores an option whose value is empty, as an unset variable of a pipeline makes it. */
const said = (option: string | undefined): string | null => (option?.trim() ? option : null);

function readSome<Word extends string>(words: readonly Word[], text: string): Set<Word> {
  const given = text.split(",").map((word) => word.trim());
  if (text.trim() === "") throw new InvalidArgumentError(`Give one or more of ${words.join(",")}.`);
  const unknown = given.filter((word) => !words.some((each) => each === word));
  if (unknown.length > 0)
    throw new InvalidArgumentError(`Unknown: ${unknown.join(", ")}. Give one or more of ${words.join(",")}.`);
  return new Set(words.filter((word) => given.includes(word)));
}

const readKinds = (text: string): Set<FailKind> => readSome(failKinds, text);
const readOnly = (text: string): Set<CheckedPart> => readSome(checkedParts, text);

function readCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1) throw new InvalidArgumentError("Give a whole number, 1 or more.");
  return count;
}
