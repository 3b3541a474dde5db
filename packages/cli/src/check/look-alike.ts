import type { ReviewPage } from "@web-tester/contracts/entities/review";
import type { Call } from "../client.js";
import { CannotRun } from "../client.js";
import { type Screen, tell } from "../progress.js";
import { pagesOf } from "./read-findings.js";

/**
 * Has changed pages that look the same counted as ignored: both snapshots are drawn by a browser and compared pixel by pixel. The server
 * caches the pictures.
 * @throws CannotRun when the server has no browser
 */
export async function leaveOutLookAlikes(call: Call, runId: string, screen: Screen): Promise<void> {
  const changed = await pagesOf(call, runId, { kind: "changed" });
  const alike: string[] = [];
  for (const [index, page] of changed.entries()) {
    tell(screen, `Look: ${index + 1} of ${changed.length}`, index + 1 === changed.length);
    if (!(await looksOther(call, page))) alike.push(page.instance.id);
  }
  // only after all pages are drawn: reads are retried while the server restarts, but this call is not
  for (const instance of alike) await call("leaveOutAlike", { params: { id: runId }, body: { instance_id: instance } });
}

async function looksOther(call: Call, { compared_with: a, snapshot_id: b }: ReviewPage): Promise<boolean> {
  if (a === null) return true;
  const pictures = await call("getVisualPictures", { query: { a, b } });
  if (pictures.state === "no-browser") throw new CannotRun(`Pages cannot be drawn: ${pictures.reason}`);
  // a page that cannot be drawn has to be reviewed
  return pictures.state === "failed" || pictures.differing > 0;
}
