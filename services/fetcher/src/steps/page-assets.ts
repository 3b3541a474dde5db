import type { FetchModeUsed } from "@web-tester/contracts/entities/vocabulary";
import { sentPolicies } from "@web-tester/html/replay/content-policy";
import { authorizationOf } from "@web-tester/loader/authorization";
import { visitHeaders } from "@web-tester/loader/visit-headers";
import type { ClaimedSnapshot } from "@web-tester/records/snapshots/claim-snapshots";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { wildcardSet } from "@web-tester/urls/wildcard-set";
import { budgets } from "@web-tester/contracts/limits";
import { limitTime } from "@web-tester/worker/time-limit";
import { whileUnavailable } from "@web-tester/worker/while-unavailable";
import type { BrowserFiles } from "./browser-files.js";
import { type AssetOwner, type AssetSourceDeps, createAssetSource } from "./asset-source.js";
import { type CapturedPage, createCaptureAssets } from "./capture-assets.js";
import { withSession } from "@web-tester/loader/session-state";
import type { SiteSessions } from "./site-sessions.js";
import type { PageFiles } from "./page-files.js";
import { scriptsOf } from "../pure/kept-scripts.js";
import type { PageReader } from "./page-reader.js";

/** The files of pages that were just loaded. */
export interface PageAssets {
  /**
   * Captures the files of a page where its object asks for that; never fails the page.
   * @returns null where its object keeps no files; `interrupted` where the service stops
   * @throws AppError unavailable when the database or store is away for too long, and what `read` and `check` throw
   */
  ofPage(
    snapshot: ClaimedSnapshot,
    page: Pick<CapturedPage, "hash" | "size" | "read" | "check" | "charset" | "before"> & {
      page: { finalUrl: string | null; mode: FetchModeUsed | null; headers: Parameters<typeof sentPolicies>[0] };
    },
    inBrowser: BrowserFiles["found"],
    stopping: AbortSignal,
  ): Promise<PageFiles | null | "interrupted">;
  /**
   * Returns the SHA-256 (hex) of one file of a page as it is now; null where it cannot be loaded.
   * @param round the round within which it is loaded only once
   * @throws AppError unavailable; the reason that `stopping` was aborted with
   */
  probe(page: ClaimedSnapshot, url: string, round: string, stopping: AbortSignal): Promise<string | null>;
}

/** Time for the files of one page; sites that want pauses between requests get `patientDeadlineMs`. */
const deadlineMs = budgets.httpDeadlineMs;
const patientDeadlineMs = 120_000;
const outageMaxMs = 120_000;

type Place = Pick<AssetOwner, "inPlace" | "isPlaceAwaited">;
type PageAssetsDeps = AssetSourceDeps & { secrets: SecretBox; reader: PageReader; sessions: SiteSessions };

export function createPageAssets({ secrets, reader, sessions, ...deps }: PageAssetsDeps): PageAssets {
  const source = createAssetSource(deps);
  const capturing = createCaptureAssets({ db: deps.db, store: deps.store, reader, source });

  return {
    async ofPage(snapshot, { page, ...content }, inBrowser, stopping) {
      if (!snapshot.assetSnapshots) return null;
      const owner = await ownerOf(snapshot, secrets, sessions);
      const captured = {
        ...content,
        finalUrl: page.finalUrl ?? snapshot.url,
        noscript: page.mode === "browser" ? ("hide" as const) : ("show" as const),
        policies: sentPolicies(page.headers),
        inBrowser: page.mode === "browser" ? inBrowser : new Map(),
      };
      const capture = () => {
        // while the database does not answer, the clock stops: otherwise files that could be loaded would run out of time
        const limit = limitTime(snapshot.requestDelayMs > 0 ? patientDeadlineMs : deadlineMs, () =>
          deps.db.stalledMs(),
        );
        const signal = AbortSignal.any([stopping, limit.signal]);
        return capturing
          .capture(captured, { ...owner, pageUrl: captured.finalUrl, signal, ...onePlace() })
          .finally(limit.end);
      };
      try {
        const found = await whileUnavailable(capture, outageMaxMs, stopping);
        // missing files were not loaded because the service stops: the next worker takes the page again
        return stopping.aborted ? "interrupted" : found;
      } catch (error) {
        if (stopping.aborted) return "interrupted";
        throw error;
      }
    },

    async probe(page, url, round, stopping) {
      const owner = await ownerOf({ ...page, runId: round }, secrets, sessions);
      if (owner.isBlocked(url)) return null;
      const limit = limitTime(deadlineMs, () => deps.db.stalledMs());
      const signal = AbortSignal.any([stopping, limit.signal]);
      // no page holds a place that it could use
      const inPlace = async <Result>(work: () => Promise<Result>) => {
        const release = await deps.slots.take(owner.host, "asset", () => signal.throwIfAborted());
        try {
          return await work();
        } finally {
          release();
        }
      };
      try {
        const asker = { ...owner, pageUrl: page.url, signal, inPlace, isPlaceAwaited: () => false };
        const found = await source.get(asker, url, "other");
        return found.hash;
      } catch (error) {
        if (limit.signal.aborted && !stopping.aborted) return null;
        throw error;
      } finally {
        limit.end();
      }
    },
  };
}

async function ownerOf(
  snapshot: ClaimedSnapshot,
  secrets: SecretBox,
  sessions: SiteSessions,
): Promise<Omit<AssetOwner, "pageUrl" | "signal" | keyof Place>> {
  const round = snapshot.runId ?? snapshot.id;
  // remembered since the page itself was loaded
  const session = snapshot.visit.signsIn ? await sessions.of(snapshot.objectId, round).catch(() => null) : null;
  return {
    objectId: snapshot.objectId,
    round,
    consent: consentFor(new URL(snapshot.objectUrl)),
    authorization: withSession(authorizationOf(snapshot, secrets), snapshot, session?.state ?? null),
    extraHeaders: visitHeaders(snapshot.visit),
    isBlocked: blockedBy(snapshot.visit.blockList),
    wantsScript: scriptsOf(snapshot),
    host: new URL(snapshot.url).host,
    requestDelayMs: snapshot.requestDelayMs,
  };
}

function blockedBy(patterns: readonly string[]): (url: string) => boolean {
  if (patterns.length === 0) return () => false;
  const find = wildcardSet(patterns);
  return (url) => find(url) !== -1;
}

/** Lets the files of a page use its one place at its host, one after the other. */
function onePlace(): Place {
  let last: Promise<unknown> = Promise.resolve();
  let wanted = 0;
  return {
    isPlaceAwaited: () => wanted > 1,
    inPlace(work) {
      wanted += 1;
      const turn = last.then(work).finally(() => (wanted -= 1));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
