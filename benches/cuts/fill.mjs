// @ts-check
import { randomBytes } from "node:crypto";
import { api } from "@web-tester/contracts/api";

const pages = 40;
const pageBytes = 300_000;
const largeBytes = 9_900_000;

/**
 * Imports pages, and returns all routes with the ids and queries filled in.
 * @param {import("../lib/stack.mjs").Product} product
 * @returns {Promise<{ all: import("./acts.mjs").Route[], large: string[] }>} `large`: the slowest requests for the page of 9.9 MB
 */
export async function fillProduct(product) {
  const urls = Array.from({ length: pages }, (_, at) => `http://noise.example/${at}`);
  const noise = () => `<!doctype html><title>Noise</title><p>needle<p>${randomBytes(pageBytes).toString("base64")}`;
  const picture = '<img src="/a.png" alt="needle">';
  const large = picture.repeat(Math.floor(largeBytes / picture.length));
  const instances = [...urls, "http://noise.example/large"].map((url, at) => ({
    id: `i${at}`,
    testobject_id: "o",
    url,
    name: url,
  }));
  const body = {
    format: "web-tester-export",
    version: 1,
    testObjects: [{ id: "o", name: "Noise", url: "http://noise.example/" }],
    testInstances: instances,
    testSnapshots: instances.flatMap(({ id, url }) =>
      [1, 2].map((at) => ({
        id: `${id}-${at}`,
        testinstance_id: id,
        created_at: `2026-01-0${at}T00:00:00Z`,
        html: url.endsWith("large") ? `${large}${at}` : noise(),
      })),
    ),
  };
  const answer = await fetch(`${product.address}/api/import`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`The import answered ${answer.status}: ${await answer.text()}`);
  const { rows } = await product.database.query(
    `SELECT i.test_object_id AS object, i.id AS instance, i.url, min(s.id::text) AS one, max(s.id::text) AS other
     FROM test_instance i JOIN test_snapshot s ON s.test_instance_id = i.id GROUP BY 1, 2, 3 ORDER BY i.url`,
  );
  const longest = rows.find(({ url }) => url.endsWith("large"));
  return {
    all: rows
      .filter((_, at) => at % 10 === 0 || _ === longest)
      .flatMap((row) => routesOf(row))
      .concat(
        ["/", "/search", "/api/docs", "/api/openapi.json", "/config.json", "/readyz", "/%"].map((path) => ({
          method: "GET",
          path,
        })),
      ),
    large: [
      `/api/testsnapshots/${longest.one}/render`,
      `/api/testsnapshots/${longest.other}/render`,
      `/api/testsnapshots/${longest.other}/render?against=${longest.one}&marks=added`,
      `/api/testsnapshots/${longest.one}/matches?q=a&limit=1000`,
      `/api/testsnapshots/${longest.one}/matches?q=needle&scope=text`,
      `/api/testsnapshots/${longest.one}`,
      `/api/diff?a=${longest.one}&b=${longest.other}`,
      `/api/testsnapshots/${longest.one}/lines?from=1&to=10`,
    ],
  };
}

/** @param {{ object: string, instance: string, one: string, other: string }} row @returns {import("./acts.mjs").Route[]} */
function routesOf({ object, instance, one, other }) {
  /** @type {Record<string, string>} */
  const ids = { testobjects: object, testinstances: instance, testsnapshots: other };
  /** @type {Partial<Record<string, string[]>>} */
  const queries = {
    listChanges: ["?since=2020-01-01T00:00:00Z"],
    getBulkDiff: ["?idx1=1&idx2=0&limit=5", "?idx1=1&idx2=0&html=false&pages=keys"],
    getSnapshotLines: ["?from=1&to=10000"],
    getSnapshotMatches: ["?q=a&limit=1000", "?q=needle&scope=text"],
    listCarriers: ["?url=http://noise.example/"],
    renderTestSnapshot: ["", `?against=${one}&marks=added`],
    exportData: ["archive", "json", "wacz"].map((format) => `?format=${format}&testObjectId=${object}`),
    ...Object.fromEntries(
      ["search", "searchStream", "searchSummary", "searchHistory"].map((name) => [
        name,
        [`?q=a&testobject_id=${object}`],
      ]),
    ),
    ...Object.fromEntries(
      ["getDiff", "getDiffHunks", "getVisualDiff", "getVisualText"].map((name) => [name, [`?a=${one}&b=${other}`]]),
    ),
  };
  return Object.entries(api)
    .filter(([name]) => name !== "getVisualPictures")
    .flatMap(([name, { method, path }]) =>
      (queries[name] ?? [""]).map((query) => ({
        method,
        path:
          path
            .replace("{id}", ids[path.split("/")[2] ?? ""] ?? object)
            .replace("{local_path}", `${"0".repeat(64)}.png`)
            .replace("{name}", `${"0".repeat(64)}.png`) + query,
      })),
    );
}
