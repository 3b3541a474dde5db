import type { Command } from "commander";
import { CannotRun } from "../client.js";
import { cutOff } from "../check/cut-off.js";
import { findObject } from "../find-object.js";
import { waitForComparisons, waitForRun } from "../progress.js";
import { exitCodes, type Session } from "../session.js";
import { startRun } from "../start-run.js";
import { printable } from "../report/reports.js";
import { readLabel } from "./read-label.js";

/** Adds the commands `crawl` and `fetch`, both with `--label`. */
export function addRuns(program: Command, session: Session): void {
  const runs = [
    ["crawl", "find the pages of a site by following links", "Crawl"],
    ["fetch", "fetch all pages of a site", "Fetch"],
  ] as const;
  for (const [name, description, what] of runs)
    program
      .command(`${name} <object>`)
      .description(`${description}; the object by name, address or id`)
      .option(
        "--label <label>",
        "what this run is called; retention keeps the snapshots of labelled fetches",
        readLabel,
      )
      .action(async (named: string, { label }: { label?: string }) => {
        const call = await session.call();
        const { id } = await findObject(call, named);
        const runId = await startRun(session, name === "crawl" ? "crawl" : "snapshotAll", id, what);
        if (runId === null) throw new CannotRun(`“${named}” has no pages yet. Crawl it first.`);
        if (label !== undefined) await call("updateRun", { params: { id: runId }, body: { label } });
        const ended = await waitForRun(call, runId, what, session.progress, session.signal);
        session.onRun(null);
        const run = name === "crawl" ? ended : await waitForComparisons(call, runId, session.progress, session.signal);
        const cut = cutOff(named, ended);
        session.print(
          run,
          `${what} finished: ${run.completed} done, ${run.failed} failed, ${run.changed} changed\n${cut === null ? "" : `${printable(cut)}\n`}`,
        );
        if (run.failed > 0) session.code = exitCodes.failures;
      });
}
