import { setTimeout as sleep } from "node:timers/promises";
import type { RestClient } from "../../benches/lib/rest-client.mjs";
import type { Random } from "./random.ts";
import type { LaneStack } from "./lane.ts";
import type { ChangingSite } from "./site.ts";

/** A request that the product accepted. */
export interface Accepted {
  kind: "run" | "snapshot" | "import" | "deletion";
  id: string;
  objectId: string | null;
  /** Its name in words: crawl, fetch … */
  what: string;
  /** Whether its cancellation was requested; pages that were not done by then may stay undone. */
  isCancelled?: boolean;
}

/** A test object of the lane, and what was done with it. */
interface LaneObject {
  id: string;
  crawled: boolean;
  /** Paths of pages that were deleted on purpose. */
  removed: Set<string>;
}

/** The acts of the users of one lane's product. Most are retried until they are accepted, as people do; searches and exports may fail. */
export interface Workload {
  objects: LaneObject[];
  /** The requests that were accepted in this round. */
  accepted: Accepted[];
  /** All objects and runs that were acknowledged and not deleted on purpose. */
  acknowledged: { objectId: string; runId: string | null }[];
  /** The objects of the imports that were accepted: the address of each, and its number of pages. */
  imported: { url: string; pages: number }[];
  crawl(): Promise<void>;
  fetch(object: LaneObject): Promise<void>;
  fetchOne(object: LaneObject): Promise<void>;
  import(name: string): Promise<void>;
  remove(object: LaneObject): Promise<void>;
  /** Deletes one page, even while it is being fetched. */
  removePage(object: LaneObject, random: Random): Promise<void>;
  /** Cancels the newest run of an object that was accepted in this round, if there is one. */
  cancel(object: LaneObject): Promise<void>;
  search(random: Random): Promise<void>;
  export(object: LaneObject): Promise<void>;
}

const againEveryMs = 400;
const acceptedWithinMs = 180_000;
const importedPages = 40;

export function createWorkload(lane: LaneStack, site: ChangingSite, signal: AbortSignal): Workload {
  const { db, address } = lane;
  let turn = 0;
  const rest: RestClient = {
    call(name, input) {
      const any = lane.rests[turn++ % lane.rests.length];
      if (any === undefined) throw new Error("No gateway runs");
      return any.call(name, input);
    },
  };
  const work: Workload = {
    objects: [],
    accepted: [],
    acknowledged: [],
    imported: [],
    async crawl() {
      const { id } = await untilAccepted("an object", signal, () =>
        rest.call("createTestObject", { body: { name: "Manual", url: site.url } }),
      );
      work.acknowledged.push({ objectId: id, runId: null });
      const object: LaneObject = { id, crawled: false, removed: new Set() };
      work.objects.push(object);
      const runId = await begun(id, "crawl", () => rest.call("crawl", { params: { id } }));
      note({ kind: "run", id: runId, objectId: id, what: "crawl" });
      object.crawled = true;
    },
    async fetch({ id }) {
      const runId = await begun(id, "snapshot-all", () => rest.call("snapshotAll", { params: { id } }));
      note({ kind: "run", id: runId, objectId: id, what: "fetch" });
    },
    async fetchOne({ id }) {
      const one = await untilAccepted("one page's fetch", signal, () => rest.call("snapshotOne", { params: { id } }));
      note({ kind: "snapshot", id: one.testsnapshotId, objectId: id, what: "fetch of one page" });
    },
    async import(name) {
      const url = `http://${name}.campaign.test/`;
      const file = JSON.stringify(importFile(url));
      const jobId = await untilAccepted("an import", signal, async () => {
        const answer = await fetch(`${address}/api/import?async=true&name=${name}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: file,
          signal: AbortSignal.timeout(60_000),
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`HTTP ${answer.status}: ${text}`);
        return (JSON.parse(text) as { jobId: string }).jobId;
      });
      note({ kind: "import", id: jobId, objectId: null, what: "import" });
      work.imported.push({ url, pages: importedPages });
    },
    async remove({ id }) {
      work.objects = work.objects.filter((object) => object.id !== id);
      work.acknowledged = work.acknowledged.filter(({ objectId }) => objectId !== id);
      await untilAccepted("a deletion", signal, () =>
        rest.call("deleteTestObject", { params: { id } }).catch((error: unknown) => {
          // an earlier attempt was accepted and its response was lost
          if (!isAnswer(error, 404) && !isAnswer(error, 409)) throw error;
        }),
      );
      note({ kind: "deletion", id, objectId: id, what: "deletion" });
    },
    async removePage({ id, removed }, random) {
      const at = random.whole(1, 100);
      // retried as well, because the fault may have hit the database
      const [page] = await untilAccepted("the choice of a page", signal, () =>
        db.query<{ id: string; url: string }>(
          "SELECT id, url FROM test_instance WHERE test_object_id = $1 ORDER BY url OFFSET $2 LIMIT 1",
          [id, at],
        ),
      );
      if (page === undefined) return;
      removed.add(new URL(page.url).pathname);
      await untilAccepted("the deletion of a page", signal, () =>
        rest.call("deleteTestInstance", { params: { id: page.id } }).catch((error: unknown) => {
          if (!isAnswer(error, 404)) throw error;
        }),
      );
    },
    async cancel({ id }) {
      const run = work.accepted.findLast(({ kind, objectId }) => kind === "run" && objectId === id);
      if (run === undefined) return;
      run.isCancelled = true;
      await untilAccepted("a cancellation", signal, () =>
        rest.call("cancelRun", { params: { id: run.id } }).catch((error: unknown) => {
          // the run has ended meanwhile
          if (!isAnswer(error, 409)) throw error;
        }),
      );
    },
    async search(random) {
      const phrase = `Line ${random.whole(0, 24)}`;
      const [object] = work.objects;
      if (object === undefined) return;
      await rest.call("search", { query: { q: phrase, testobject_id: object.id } }).catch(() => undefined);
    },
    async export({ id }) {
      await fetch(`${address}/api/export?format=archive&testObjectId=${id}`, { signal: AbortSignal.timeout(60_000) })
        .then((answer) => answer.arrayBuffer())
        .catch(() => undefined);
    },
  };
  return work;

  function note(one: Accepted): void {
    work.accepted.push(one);
    if (one.kind === "run" && one.objectId !== null) work.acknowledged.push({ objectId: one.objectId, runId: one.id });
  }

  /** Begins a run and returns its ID; after a conflict, which an accepted attempt with a lost response leads to, that of the newest run. */
  function begun(objectId: string, kind: string, call: () => Promise<{ runId: string | null }>): Promise<string> {
    return untilAccepted(`a ${kind}`, signal, async () => {
      try {
        const { runId } = await call();
        if (runId === null) throw new Error("There is nothing to fetch");
        return runId;
      } catch (error) {
        if (!isAnswer(error, 409)) throw error;
        const [run] = await db.query<{ id: string }>(
          "SELECT id FROM run WHERE test_object_id = $1 AND kind = $2 ORDER BY id DESC LIMIT 1",
          [objectId, kind],
        );
        if (run === undefined) throw error;
        return run.id;
      }
    });
  }
}

const isAnswer = (error: unknown, status: number) => error instanceof Error && error.message.includes(`HTTP ${status}`);

/** Repeats a call every 400 ms until it succeeds. @throws Error with the last failure once 180 s have passed */
async function untilAccepted<T>(what: string, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  const end = performance.now() + acceptedWithinMs;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (performance.now() > end)
        throw new Error(`${what} was not accepted within ${acceptedWithinMs / 1000} s: ${words}`, { cause: error });
      await sleep(againEveryMs, undefined, { signal });
    }
  }
}

function importFile(url: string) {
  const pages = Array.from({ length: importedPages }, (_, page) => page + 1);
  return {
    version: 1,
    testObjects: [{ id: 1, name: "Imported", url }],
    testInstances: pages.map((page) => ({ id: page, url: `${url}p${page}`, testobject_id: 1 })),
    testSnapshots: pages.map((page) => ({
      id: page,
      testinstance_id: page,
      html: `<title>${page}</title><p>Page ${page} of ${url}`,
      created_at: "2026-01-02T10:00:00Z",
    })),
  };
}
