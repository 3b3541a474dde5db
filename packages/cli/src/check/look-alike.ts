import type { ReviewPage } from "@web-tester/contracts/entities/review";
import type { Call } from "../client.js";
import { CannotRun } from "../client.js";
import { type Screen, tell } from "../progress.js";
import type { Found } from "./findings.js";
import { pagesOf } from "./read-findings.js";

/**
 * Leaves out what looks the same: changed pages are drawn by a browser, before and after, and compared pixel by pixel. What is drawn once is
 * known from then on.
 * @throws CannotRun where the server has no browser
 */
export async function withoutLookAlikes(
  call: Call,
  runId: string,
  { groups, pages, settled }: Found,
  screen: Screen,
): Promise<Found> {
  const changed = pages.filter(({ kind }) => kind === "changed");
  const others = new Set<string>();
  for (const [index, page] of changed.entries()) {
    tell(screen, `Look: ${index + 1} of ${changed.length}`, index + 1 === changed.length);
    if (await looksOther(call, page)) others.add(page.snapshot_id);
  }
  const left = [];
  for (const group of groups) {
    const seen = (await pagesOf(call, runId, { fingerprint: group.fingerprint })).filter((page) =>
      others.has(page.snapshot_id),
    );
    if (seen.length > 0) left.push({ ...group, pages: seen.length });
  }
  return {
    groups: left,
    pages: pages.filter(({ kind, snapshot_id: id }) => kind !== "changed" || others.has(id)),
    settled,
  };
}

async function looksOther(call: Call, { compared_with: a, snapshot_id: b }: ReviewPage): Promise<boolean> {
  if (a === null) return true;
  const pictures = await call("getVisualPictures", { query: { a, b } });
  if (pictures.state === "no-browser") throw new CannotRun(`Pages cannot be drawn: ${pictures.reason}`);
  // what cannot be drawn has to be looked at
  return pictures.state === "failed" || pictures.differing > 0;
}
