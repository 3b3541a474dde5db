// @ts-check
import { fileURLToPath } from "node:url";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { serveCorpus } from "../corpus/serve.mjs";
import { runner } from "../lib/runner.mjs";
import { withProduct } from "../lib/stack.mjs";
import { storedBytes, wrongBlobs } from "../lib/stored-bytes.mjs";
import { mb, pagesOf } from "./costs.mjs";

/**
 * Crawls and fetches one release after the other with the whole product, the last one twice, and compares the size of its
 * object store with one gzip-6 object per fetched page.
 * @param {readonly import("../corpus/lay-out.mjs").LaidOutVersion[]} versions
 * @param {import("../lib/report.mjs").Report} report
 * @param {AbortSignal} signal
 */
export async function measureSizes(versions, report, signal) {
  report.begin("sizes");
  const [first] = versions;
  if (first === undefined) throw new Error("There is nothing to store");
  const site = await serveCorpus({
    roots: Object.fromEntries(versions.map(({ version, root }) => [version, root])),
    indexFile: first.index,
  });
  try {
    await withProduct({ signal, log: () => {} }, async (product) => {
      const { id } = await product.rest.call("createTestObject", {
        body: { name: "PostgreSQL manual", url: site.url + first.index },
      });
      await product.rest.call("updateTestObject", { params: { id }, body: { asset_snapshots: false } });
      const run = runner(product, id, signal);
      const blobFolder = fileURLToPath(product.storageUrl);
      let gzip = 0;
      let zstd = 0;
      let pages = 0;
      for (const { version, root } of versions) {
        site.setVersion(version);
        await run("crawl");
        const runId = await run("snapshotAll");
        const bodies = await pagesOf(root);
        const { rows } = await product.database.query(
          "SELECT i.url FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE s.run_id = $1 AND s.state = 'done'",
          [runId],
        );
        for (const { url } of rows) {
          const body = bodies.get(decodeURIComponent(String(url).slice(site.url.length)) || first.index);
          if (body === undefined) continue;
          pages += 1;
          gzip += gzipSync(body, { level: 6 }).length;
          zstd += zstdCompressSync(body, { pledgedSrcSize: body.length }).length;
        }
        const { blobBytes } = await storedBytes(product.database, blobFolder);
        report.log(
          `  after release ${version}: ${pages} snapshots, ${mb(blobBytes)} MB stored; one object per page: gzip-6 ${mb(gzip)} MB, zstd-3 ${mb(zstd)} MB`,
        );
      }
      const before = await storedBytes(product.database, blobFolder);
      report.below("stored beside one gzip-6 object per page", 45, (100 * before.blobBytes) / gzip, "%", { digits: 1 });
      await run("crawl");
      await run("snapshotAll");
      const after = await storedBytes(product.database, blobFolder);
      report.equal("blob bytes added by a re-crawl of the unchanged site", 0, after.blobBytes - before.blobBytes);
      const wrong = await wrongBlobs(product.database, blobFolder);
      report.equal("stored files missing, or not hashing to their name", 0, wrong.length, wrong[0] ?? "each was read");
    });
  } finally {
    await site.close();
  }
}
