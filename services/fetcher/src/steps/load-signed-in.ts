import { AppError } from "@web-tester/contracts/errors";
import type { PageRequest, PageResult } from "@web-tester/loader/page-result";
import { isSignedOut } from "@web-tester/loader/session-state";
import { UnreadableSecret } from "@web-tester/platform/secrets/secret-box";
import type { ClaimedSnapshot } from "@web-tester/records/snapshots/claim-snapshots";
import type { SnapshotLoad } from "../pure/choose-mode.js";
import { loadSnapshot, type LoadSnapshotDeps } from "./load-snapshot.js";
import type { SiteSessions } from "./site-sessions.js";

/**
 * Loads a page, signed in where its object says how. A session that the site no longer accepts is renewed once. The page
 * fails for good where signing in fails, or its object's secrets cannot be decrypted: neither gets better by itself.
 */
export async function loadSignedIn(
  snapshot: ClaimedSnapshot,
  conditional: PageRequest["conditional"],
  deps: SignedInDeps,
): Promise<SnapshotLoad> {
  try {
    return await loadWithSession(snapshot, conditional, deps);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== "login_failed" && !(error instanceof UnreadableSecret)) throw error;
    return { page: failedLoad(snapshot.url, error.message), autoMode: null, isTested: false };
  }
}

type SignedInDeps = LoadSnapshotDeps & { sessions: SiteSessions };

async function loadWithSession(
  snapshot: ClaimedSnapshot,
  conditional: PageRequest["conditional"],
  { sessions, ...deps }: SignedInDeps,
): Promise<SnapshotLoad> {
  if (!snapshot.visit.signsIn) return loadSnapshot(snapshot, conditional, deps, null);
  const round = snapshot.runId ?? snapshot.id;
  let session = await sessions.of(snapshot.objectId, round);
  for (let renewed = false; ; renewed = true) {
    const load = await loadSnapshot(snapshot, conditional, deps, session.state);
    if (!isSignedOut(session.state, snapshot.url, load.page)) return load;
    if (renewed)
      throw new AppError(
        "login_failed",
        `The site asked to sign in again right after the product had done so: ${snapshot.url} leads to its login page. Try the login in the object's options.`,
      );
    session = await sessions.renew(snapshot.objectId, round, session.version);
  }
}

function failedLoad(url: string, message: string): PageResult {
  return {
    ...{ kind: "failed", code: "login_failed", message, retryable: false, status: null, retryAfterMs: null },
    ...{ mode: "browser", finalUrl: url, redirects: [], headers: {}, bytesOnWire: 0 },
    timings: { totalMs: 0, firstByteMs: null },
  };
}
