import { type Command, Option } from "commander";
import { findObject } from "../find-object.js";
import type { Session } from "../session.js";

interface SearchCommand {
  scope: "html" | "text";
  latest?: boolean;
  limit: string;
}

/** Adds the command `search`. */
export function addSearch(program: Command, session: Session): void {
  program
    .command("search <object> <phrase>")
    .description("find snapshots of a site that contain a phrase")
    .addOption(new Option("--scope <scope>", "the HTML, or what readers see").choices(["html", "text"]).default("text"))
    .option("--latest", "only the newest snapshot of each page")
    .option("--limit <count>", "maximum number of results", "100")
    .action(async (named: string, q: string, { scope, latest, limit }: SearchCommand) => {
      const call = await session.call();
      const { id } = await findObject(call, named);
      const found = await call("search", {
        query: { q, testobject_id: id, scope, limit: Number(limit), ...(latest === true ? { idx: 0 } : {}) },
      });
      const lines = found.map(
        ({ testInstanceUrl: url, snapshotCreatedAt: at, matchCount: count, snapshotId }) =>
          `${at}  ${url}  ${count} ${count === 1 ? "match" : "matches"}${session.base === null ? "" : `  ${session.base}/snapshots/${snapshotId}`}\n`,
      );
      session.print(found, lines.length === 0 ? "Nothing found.\n" : lines.join(""));
    });
}
