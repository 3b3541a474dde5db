import { writeFile } from "node:fs/promises";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { type CheckResult, type FailKind, failKinds } from "./check/findings.js";
import { runCheck } from "./check/run-check.js";
import { type Call, CannotRun, createClient } from "./client.js";
import { findObject } from "./find-object.js";
import { type Screen, waitForRun } from "./progress.js";
import { toHtml, toJUnit, toMarkdown, toText } from "./report/reports.js";

/** What scripts may rely on. */
export const exitCodes = { clean: 0, differences: 1, failures: 2, cannotRun: 3 } as const;

export interface ProgramParts {
  env: Readonly<Record<string, string | undefined>>;
  /** Results. */
  out: Screen;
  /** Progress, and what went wrong. */
  progress: Screen;
  /** Calls `stop` when somebody ends the program. */
  onInterrupt(stop: () => void): void;
}

interface Common {
  server?: string;
  json?: boolean;
}

/** @returns what runs a command line and gives its exit code */
export function createProgram(parts: ProgramParts): (argv: readonly string[]) => Promise<number> {
  const { env, out, progress } = parts;
  let code: number = exitCodes.clean;
  const stopping = new AbortController();
  let running: string | null = null;
  parts.onInterrupt(() => stopping.abort());

  const base = ({ server }: Common) => (server ?? env["WEB_TESTER_URL"] ?? "http://127.0.0.1:8080").replace(/\/+$/, "");
  const connect = (common: Common): Call =>
    createClient({ url: base(common), token: env["WEB_TESTER_TOKEN"] || null }, stopping.signal);
  const print = (common: Common, value: unknown, text: string) =>
    out.write(common.json === true ? `${JSON.stringify(value, null, 2)}\n` : text);

  const program = new Command("web-tester")
    .description("Website monitoring and snapshot testing on the command line")
    .option("--server <url>", "where the product answers (WEB_TESTER_URL; a token: WEB_TESTER_TOKEN)")
    .option("--json", "answers as JSON")
    .exitOverride()
    .configureOutput({ writeOut: (text) => void out.write(text), writeErr: (text) => void progress.write(text) });
  const common = () => program.opts<Common>();

  program
    .command("objects")
    .description("list the test objects")
    .action(async () => {
      const objects = await connect(common())("listTestObjects");
      const lines = objects.map(
        ({ id, name, url, review }) =>
          `${id}  ${name}  ${url}${review === null ? "" : `  ${review.waiting} to review`}\n`,
      );
      print(common(), objects, lines.join(""));
    });

  program
    .command("add <url>")
    .description("register a site")
    .option("--name <name>", "what it is called; its host without one")
    .action(async (url: string, { name }: { name?: string }) => {
      const body = { name: name ?? URL.parse(url)?.host ?? url, url };
      const object = await connect(common())("createTestObject", { body });
      print(common(), object, `${object.id}  ${object.name}  ${object.url}\n`);
    });

  const runs = [
    ["crawl", "find the pages of a site by following links", "Crawl"],
    ["fetch", "fetch all pages of a site", "Fetch"],
  ] as const;
  for (const [name, description, what] of runs)
    program
      .command(`${name} <object>`)
      .description(`${description}; the object by name, address or id`)
      .action(async (named: string) => {
        const call = connect(common());
        const { id } = await findObject(call, named);
        const started = await call(name === "crawl" ? "crawl" : "snapshotAll", { params: { id } });
        if (started.runId === null) throw new CannotRun(`“${named}” has no pages yet. Crawl it first.`);
        running = started.runId;
        const run = await waitForRun(call, { objectId: id, runId: started.runId }, what, progress, stopping.signal);
        running = null;
        print(common(), run, `${what} finished: ${run.completed} done, ${run.failed} failed, ${run.changed} changed\n`);
        if (run.failed > 0) code = exitCodes.failures;
      });

  program
    .command("check <object>")
    .description("fetch a site, compare it, and fail while somebody has to look at a difference")
    .option("--against <what>", "previous, baseline, label:NAME, run:ID, object:NAME or a time", "baseline")
    .option("--crawl", "look for new pages first")
    .option("--no-fetch", "compare what was fetched already")
    .option("--label <label>", "what this fetch is called")
    .option("--fail-on <kinds>", `what makes it fail: ${failKinds.join(",")}`, readKinds, new Set<FailKind>(failKinds))
    .option("--junit <file>", "write JUnit XML")
    .option("--markdown <file>", "write Markdown, for the summary of a job or a comment")
    .option("--html <file>", "write a report that opens in a browser")
    .option("--report <file>", "write the same as --json prints")
    .action(async (object: string, options: CheckCommand) => {
      const call = connect(common());
      const result = await runCheck(
        {
          ...{ object, against: options.against, failOn: options.failOn, label: options.label ?? null },
          ...{ crawl: options.crawl === true, fetch: options.fetch },
        },
        {
          ...{ call, screen: progress, signal: stopping.signal, base: base(common()) },
          onRun: (runId) => (running = runId),
        },
      );
      await writeReports(result, options);
      print(common(), result, toText(result));
      code = exitCodes[result.outcome];
    });

  return async (argv) => {
    try {
      await program.parseAsync([...argv]);
    } catch (error) {
      if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.clean : exitCodes.cannotRun;
      if (stopping.signal.aborted) {
        await cancel(running, { url: base(common()), token: env["WEB_TESTER_TOKEN"] || null });
        progress.write("Stopped.\n");
      } else progress.write(`${error instanceof CannotRun ? error.message : String(error)}\n`);
      return exitCodes.cannotRun;
    }
    return code;
  };
}

interface CheckCommand {
  against: string;
  crawl?: boolean;
  fetch: boolean;
  label?: string;
  failOn: ReadonlySet<FailKind>;
  junit?: string;
  markdown?: string;
  html?: string;
  report?: string;
}

function readKinds(text: string): Set<FailKind> {
  const given = text.split(",").map((kind) => kind.trim());
  const known = failKinds.filter((kind) => given.includes(kind));
  const unknown = given.filter((kind) => !failKinds.some((each) => each === kind));
  if (unknown.length > 0)
    throw new InvalidArgumentError(`There is no ${unknown.join(", ")}; say some of ${failKinds.join(",")}.`);
  return new Set(known);
}

async function writeReports(result: CheckResult, { junit, markdown, html, report }: CheckCommand): Promise<void> {
  const files: [string | undefined, () => string][] = [
    [junit, () => toJUnit(result)],
    [markdown, () => toMarkdown(result)],
    [html, () => toHtml(result)],
    [report, () => `${JSON.stringify(result, null, 2)}\n`],
  ];
  for (const [file, text] of files)
    if (file !== undefined)
      await writeFile(file, text()).catch((error: unknown) => {
        throw new CannotRun(
          `The report cannot be written to ${file}: ${error instanceof Error ? error.message : String(error)}`,
        );
      });
}

const cancelMs = 5_000;

/** Whoever stops the program stops what it began. */
async function cancel(runId: string | null, server: { url: string; token: string | null }): Promise<void> {
  if (runId === null) return;
  await createClient(server, AbortSignal.timeout(cancelMs))("cancelRun", { params: { id: runId } }).catch(
    () => undefined,
  );
}
