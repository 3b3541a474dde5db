import type { Loader } from "@web-tester/loader/page-result";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/db/database";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";

/** What the crawl's handler and its batches work with. */
export interface CrawlPagesDeps {
  db: Database;
  bus: Bus;
  loader: Loader;
  secrets: SecretBox;
  hostConcurrency: number;
  signal: AbortSignal;
}
