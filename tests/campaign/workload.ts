import { setTimeout as sleep } from "node:timers/promises";
import type { RestClient } from "../../benches/lib/rest-client.mjs";
import type { Random } from "./random.ts";
import type { LaneStack } from "./lane.ts";
import type { ChangingSite } from "./site.ts";

/** Something that the product said yes to. */
export interface Accepted {
  kind: "run" | "snapshot" | "import" | "deletion";
  id: string;
  objectId: string | null;
  /** What it is: crawl, fetch … */
  what: string;
  /** A person stopped it, or asked for that: what had not been done may be left. */
  isCancelled?: boolean;
}

/** An object of the lane, and how far it is. */
interface LaneObject {
  id: string;
  crawled: boolean;
  /** Paths of pages that were deleted on purpose. */
  removed: Set<string>;
}

/** The acts of the people who use one lane's product. What fails is tried again until it is accepted, as people do. */
export interface Workload {
  objects: LaneObject[];
  /** Of the present round. */
  accepted: Accepted[];
  /** Everything that was acknowledged and was not deleted on purpose. */
  acknowledged: { objectId: string; runId: string | null }[];
  /** Imports that were accepted and not deleted: name of each object with how many pages it has. */
  imported: { url: string; pages: number }[];
  crawl(): Promise<void>;
  fetch(object: LaneObject): Promise<void>;
  fetchOne(object: LaneObject): Promise<void>;
  import(name: string): Promise<void>;
  remove(object: LaneObject): Promise<void>;
  /** Deletes one page, whatever goes on with it. */
  removePage(object: LaneObject, random: Random): Promise<void>;
  /** Stops the newest run of an object, where one is going. */
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
          // an earlier try was accepted, and we did not hear of it
          if (!isAnswer(error, 404) && !isAnswer(error, 409)) throw error;
        }),
      );
      note({ kind: "deletion", id, objectId: id, what: "deletion" });
    },
    async removePage({ id, removed }, random) {
      const at = random.whole(1, 100);
      // the fault may have the database just now
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
          // it has ended meanwhile
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

  /** Begins a run; where an earlier try was accepted without our hearing of it, the one that runs. */
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

/** Refusals that say the request itself is wrong are faults of the campaign; everything else is tried again. */
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
