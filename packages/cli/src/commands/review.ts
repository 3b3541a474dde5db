import type { ComparedSide } from "@web-tester/contracts/entities/comparison";
import type { Verdict } from "@web-tester/contracts/entities/review";
import { type Command, InvalidArgumentError } from "commander";
import { fetchedSite, readAgainst } from "../check/against.js";
import { findingsOf } from "../check/findings.js";
import { readFindings } from "../check/read-findings.js";
import { type Call, CannotRun } from "../client.js";
import { findObject } from "../find-object.js";
import { waitForComparisons, waitForRun } from "../progress.js";
import { textOfFindings } from "../report/reports.js";
import { runsOf } from "../runs-of.js";
import { exitCodes, type Session } from "../session.js";

interface ReviewCommand {
  run?: string;
  accept?: string;
  problem?: string;
  note: string;
}

/** Adds the commands `review` and `diff`. */
export function addReview(program: Command, session: Session): void {
  program
    .command("review <object>")
    .description("what waits for review of the newest fetch or check of a site; accept it, or call it a problem")
    .option("--run <id>", "a fetch or a comparison, in place of the newest one")
    .option("--accept <which>", "“all”, or the id of a kind of change", readTarget)
    .option("--problem <which>", "“all”, or the id of a kind of change", readTarget)
    .option("--note <words>", "a note about the decision", "")
    .action((named: string, options: ReviewCommand) => reviewRun(session, named, options));

  program
    .command("diff <object> [older] [newer]")
    .description("compare a site at two times, or with another one, without fetching anything")
    .action((named: string, older = "previous", newer?: string) => compareTimes(session, named, older, newer));
}

async function reviewRun(session: Session, named: string, options: ReviewCommand): Promise<void> {
  const call = await session.call();
  const { id, name } = await findObject(call, named);
  const runId = options.run ?? (await newestReviewed(call, id, name));
  await waitForComparisons(call, runId, session.progress, session.signal);
  const told: [Verdict, string | undefined][] = [
    ["accepted", options.accept],
    ["problem", options.problem],
  ];
  for (const [verdict, which] of told)
    if (which !== undefined)
      await call("giveVerdict", {
        params: { id: runId },
        body: {
          ...(which === "all" ? { all: true as const } : { fingerprint: which }),
          verdict,
          note: options.note,
        },
      });
  await show(session, runId);
}

async function compareTimes(session: Session, named: string, older: string, newer: string | undefined): Promise<void> {
  const call = await session.call();
  const { id } = await findObject(call, named);
  const from = await sideOf(call, id, older);
  const to: ComparedSide = newer === undefined ? { type: "latest" } : await sideOf(call, id, newer);
  const { runId } = await call("startComparison", { params: { id }, body: { from, to } });
  session.onRun(runId);
  await waitForRun(call, runId, "Compare", session.progress, session.signal);
  session.onRun(null);
  await show(session, runId);
}

function readTarget(text: string): string {
  if (text === "all" || /^[0-9a-f]{32}$/.test(text)) return text;
  throw new InvalidArgumentError("Give “all”, or the id of a kind of change from the list that “review” shows.");
}

async function sideOf(call: Call, objectId: string, text: string): Promise<ComparedSide> {
  const against = await readAgainst(call, objectId, text);
  if ("side" in against) return against.side;
  return fetchedSite(call, against.site);
}

/** The newest fetch or check. A comparison that somebody looked at since, as by `diff`, is neither: what waits of the fetch would seem to be gone. */
async function newestReviewed(call: Call, objectId: string, name: string): Promise<string> {
  const checks = await call("listChecks", { query: { testobject_id: objectId, limit: 100 } });
  const checked = new Set(checks.items.map(({ run_id: runId }) => runId));
  for await (const { id, kind, state } of runsOf(call, objectId, { kind: "snapshot-all,compare" }))
    if (state === "finished" && (kind === "snapshot-all" || checked.has(id))) return id;
  throw new CannotRun(`“${name}” has not been fetched yet.`);
}

/** Prints the findings of a run, and sets the exit code by what waits. */
async function show(session: Session, runId: string): Promise<void> {
  const { review, found } = await readFindings(await session.call(), runId);
  const findings = findingsOf(found, session.base);
  const ids = found.groups.map(({ fingerprint }) => fingerprint);
  const shown = findings.map((finding, index) => ({ ...finding, fingerprint: ids[index] ?? null }));
  const waiting = findings.filter(({ kind, waits }) => waits && kind !== "failed").length;
  const where = session.base === null ? "" : `Review: ${session.base}/runs/${runId}/review\n`;
  session.print(
    { run: review.run, counts: review.counts, findings: shown },
    `${textOfFindings(shown)}${waiting === 0 ? "Nothing to review." : `${waiting} to review.`}\n${where}`,
  );
  session.code =
    waiting > 0
      ? exitCodes.differences
      : findings.some(({ kind }) => kind === "failed")
        ? exitCodes.failures
        : exitCodes.clean;
}
