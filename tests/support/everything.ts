import { api, type Endpoint, type EndpointName } from "@web-tester/contracts/api";
import { contentOf, exportAll } from "./transfer.js";
import type { Product } from "./product.js";

/** Calls that tell about the machine rather than about stored data. */
const ofTheMachine: readonly EndpointName[] = ["getStats", "getConfig"];
/** Calls whose address another call gives, and those that answer with a stream of another form. */
const reachedOtherwise: readonly EndpointName[] = ["getAsset", "getPicture", "exportData", "searchStream"];

/**
 * Collects everything that the product tells over its API, by path: the answers of every reading call, for every object, page,
 * snapshot, run and import; files by their addresses, and an export. Two products with the same data give the same result.
 */
export async function everything(product: Product): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(product.address + path);
    const text = await response.text();
    // durations may differ between two products with the same data
    answers.set(path, `${response.status} ${text.replaceAll(/"(took_?ms|elapsed_?ms|tookMs)":[\d.]+/gi, "")}`);
    if (!response.ok) return undefined;
    return response.headers.get("content-type")?.startsWith("application/json") === true ? JSON.parse(text) : text;
  };
  const whole = await exportAll(product);
  const { testObjects, testInstances, testSnapshots } = whole;
  answers.set("export", JSON.stringify(contentOf(whole)));
  const ids: Record<string, string[]> = {
    testobjects: idsOf(testObjects),
    testinstances: idsOf(testInstances),
    testsnapshots: idsOf(testSnapshots),
    runs: [],
    imports: [],
  };
  for (const id of ids["testobjects"] ?? [])
    ids["runs"]?.push(
      ...(await product.rest.call("listRuns", { params: { id }, query: { limit: 100 } })).items.map((run) => run.id),
    );
  ids["imports"] = (await product.rest.call("listImports")).items.map((job) => job.id);
  const [one = "", other = ""] = ids["testsnapshots"] ?? [];
  const queries: Partial<Record<EndpointName, string>> = {
    listTestInstances: "?limit=1000",
    listChanges: "?since=2020-01-01T00:00:00Z",
    listChangedFiles: "?since=2020-01-01T00:00:00Z",
    listPagesOfFile: `?hash=${"ab".repeat(32)}`,
    getDiffBeside: `?a=${one}&b=${other}`,
    getBulkDiff: "?idx1=1&idx2=0",
    getSnapshotLines: "?from=1&to=50",
    traceInSnapshots: "?text=Chapter",
    getSnapshotMatches: "?q=Chapter",
    listCarriers: "?url=http://127.0.0.1/",
    getDiff: `?a=${one}&b=${other}`,
    getDiffHunks: `?a=${one}&b=${other}`,
    getVisualDiff: `?a=${one}&b=${other}`,
    getVisualText: `?a=${one}&b=${other}`,
  };
  for (const [name, row] of Object.entries(api) as [EndpointName, Endpoint][]) {
    if (row.method !== "GET" || ofTheMachine.includes(name) || reachedOtherwise.includes(name)) continue;
    // skipped: pictures drawn by a browser, and the diff of a changed file, which seldom exists
    if (["getVisualPictures", "getThumbnail", "getFileDiff"].includes(name)) continue;
    if (row.path.startsWith("/api/search")) {
      for (const id of ids["testobjects"] ?? []) await read(`${row.path}?q=Chapter&testobject_id=${id}`);
      continue;
    }
    const kind = row.path.split("/")[2] ?? "";
    const paths = row.path.includes("{id}") ? (ids[kind] ?? []).map((id) => row.path.replace("{id}", id)) : [row.path];
    for (const path of paths) await read(path + (queries[name] ?? ""));
  }
  for (const id of ids["testsnapshots"] ?? []) {
    const assets = (await read(`/api/testsnapshots/${id}?_action=assets`)) as
      | { local_path: string | null }[]
      | undefined;
    for (const { local_path: path } of assets ?? []) if (path !== null) await read(`/api/assets/${path}`);
  }
  return answers;
}

function idsOf(rows: readonly Record<string, unknown>[]): string[] {
  return rows.map((row) => String(row["id"]));
}
