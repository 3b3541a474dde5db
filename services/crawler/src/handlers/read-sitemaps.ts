import type { ErrorCode } from "@web-tester/contracts/errors";
import { jobWords, type JobWords } from "@web-tester/contracts/job-lines";
import type { Delivery, Outcome } from "@web-tester/platform/bus/bus";
import { UnreadableSecret } from "@web-tester/platform/secrets/secret-box";
import { claimPages, type ClaimedPage } from "@web-tester/records/pages/claim-pages";
import { sitemapsProgress } from "@web-tester/records/runs/run-progress";
import { finishSitemap, type SitemapResult } from "@web-tester/records/pages/finish-sitemap";
import { takeForMessage } from "@web-tester/records/hosts/host-semaphore";
import { type RowOutcome, runRows } from "@web-tester/worker/run-rows";
import { createWorkApart } from "@web-tester/worker/work-apart";
import { whileUnavailable } from "@web-tester/worker/while-unavailable";
import type { CrawlPagesDeps } from "../steps/crawl-context.js";
import { readOneSitemap, type SitemapReading } from "../steps/read-one-sitemap.js";
import { crashOf } from "../steps/visit-page.js";

const outageMaxMs = 120_000;

/**
 * Handler of `sitemap`: reads the sitemaps of one message one after the other, and records the addresses of each while it
 * is read.
 */
export function createReadSitemaps(
  deps: CrawlPagesDeps,
): (body: { pageIds: string[] }, delivery: Delivery) => Promise<Outcome> {
  const { db, signal } = deps;
  const apart = createWorkApart();
  return ({ pageIds }, delivery) =>
    runRows({
      ...{ db, table: "crawl_page", ids: pageIds, delivery, signal, apart },
      claim: (leaseMs, alone) => claimPages(db, pageIds, leaseMs, alone),
      work: (page) => readClaimed(page, deps, delivery),
    });
}

async function readClaimed(page: ClaimedPage, deps: CrawlPagesDeps, delivery: Delivery): Promise<RowOutcome> {
  const { db, bus, signal } = deps;
  const crash = crashOf(page);
  const reading =
    crash === null
      ? await readInTurn(page, deps, delivery).catch((error: unknown) => {
          // another attempt would not make the object's secrets readable
          if (!(error instanceof UnreadableSecret)) throw error;
          return givenUp("login_failed", error.message);
        })
      : givenUp("worker_crashed", crash);
  if (reading.kind !== "read") return reading;
  const { result } = reading;
  const run = await whileUnavailable(() => finishSitemap(db, page, result, page), outageMaxMs, signal);
  if (run === null) return { kind: "settled" };
  bus.logLine(page.runId, result.error === null ? "info" : "warn", readWords(page.url, result));
  bus.publishEvent(sitemapsProgress(run));
  if (run.state === "finished")
    bus.logLine(page.runId, "info", jobWords("sitemaps-read", { found: run.found, failed: run.failed }));
  return { kind: "settled" };
}

function readWords(url: string, { failed, error, error_code }: SitemapResult): JobWords {
  if (error === null) return jobWords("sitemap-read", { url });
  return jobWords(failed ? "sitemap-failed" : "sitemap-read-partly", {
    ...{ url, reason: error, reasonCode: error_code ?? undefined },
  });
}

async function readInTurn(page: ClaimedPage, deps: CrawlPagesDeps, delivery: Delivery): Promise<SitemapReading> {
  const release = await takeForMessage(deps.slots, new URL(page.url).host, "crawl", delivery);
  try {
    return await readOneSitemap(page, deps);
  } finally {
    release();
  }
}

function givenUp(error_code: ErrorCode, error: string): SitemapReading {
  const result = { failed: true, http_status: null, error_code, error, detail: null, bytes: 0 };
  return { kind: "read", result };
}
