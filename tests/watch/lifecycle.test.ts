import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Response } from "@web-tester/contracts/api";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

let product: Product;
let site: Site;
let objectId = "";
let linked: string[] = [];

/** Publishes the start page with links to these pages. */
function link(...paths: string[]): void {
  linked = paths;
  site.pages.set("/", `<h1>Home</h1>${paths.map((path) => `<a href="${path}">${path}</a>`).join("")}`);
}
const write = (path: string, words = path) =>
  site.pages.set(path, `<title>${path}</title><h1>${words}</h1><p>Words of ${words}</p>`);
const redirect = (path: string, to: string, status = 301) =>
  site.pages.set(path, (_, response) => void response.writeHead(status, { location: to }).end());

const told = () =>
  until("all runs to be told", async () => {
    const [row] = await product.db.query<{ untold: number }>(
      "SELECT count(*)::int AS untold FROM run WHERE NOT told AND kind <> 'look'",
    );
    return row?.untold === 0;
  });
const newestEvent = async () => {
  const [row] = await product.db.query<{ id: string }>("SELECT coalesce(max(id), 0)::text AS id FROM watch_event");
  return row?.id ?? "0";
};
type Event = Response<"listEvents">["items"][number];
const eventsSince = async (after: string): Promise<Event[]> =>
  (await product.rest.call("listEvents", { query: { after, limit: 500 } })).items;
const short = (events: readonly Event[]) =>
  events
    .filter(({ kind }) => kind !== "run-ended")
    .map(
      ({ kind, pages, pages_total: total }) =>
        `${kind} ${total} ${pages.map(({ url }) => new URL(url).pathname).join()}`,
    )
    .toSorted();
const crawlAndWait = async () => {
  const after = await newestEvent();
  await crawl(product, objectId);
  await told();
  return short(await eventsSince(after));
};
const fetchAndWait = async () => {
  const after = await newestEvent();
  await fetchAll(product, objectId);
  await told();
  return short(await eventsSince(after));
};
const newestFetch = async () => {
  const { items } = await product.rest.call("listRuns", { params: { id: objectId }, query: { limit: 20 } });
  return items.find(({ kind }) => kind === "snapshot-all")?.id ?? "";
};
const instanceAt = async (path: string) => {
  const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: { limit: 100 } });
  return items.find(({ url }) => new URL(url).pathname === path);
};
const lifecycle = async (kind?: "moved" | "flapping") =>
  (await product.rest.call("listLifecycle", { params: { id: objectId }, query: kind === undefined ? {} : { kind } }))
    .items;

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(reachesLoopback), startSite({})]);
  for (const path of ["/a", "/b", "/c", "/d", "/e", "/f"]) write(path);
  link("/a", "/b", "/c", "/d", "/e", "/f");
  objectId = await register(product, site.url, "Comes and goes");
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

describe("pages come and go", () => {
  test("of the first crawl and the first fetch nothing is news", async () => {
    expect(await crawlAndWait()).toEqual([]);
    expect(await fetchAndWait()).toEqual([]);
    expect(await lifecycle()).toEqual([]);
  });

  test("3 added, 2 removed, 1 moved and 1 unlinked page are exactly seven events", async () => {
    for (const path of ["/x", "/y", "/z", "/new-c"]) write(path, path === "/new-c" ? "/c" : path);
    site.pages.delete("/a");
    site.pages.set("/b", (_, response) => void response.writeHead(410).end("gone"));
    redirect("/c", "/new-c");
    const rule = await product.rest.call("createRule", {
      params: { id: objectId },
      body: { kind: "element", selector: "aside", path: "/c" },
    });
    const before = await instanceAt("/c");
    link("/b", "/e", "/f", "/x", "/y", "/z", "/new-c");
    expect(await crawlAndWait()).toEqual([
      ...["gone 1 /a", "gone 1 /b", "moved 1 /c", "new 1 /x", "new 1 /y", "new 1 /z", "unlinked 1 /d"],
    ]);
    expect(await instanceAt("/c")).toBeUndefined();
    const after = await instanceAt("/new-c");
    expect(after?.id).toBe(before?.id);
    const { items } = await product.rest.call("listRules", { params: { id: objectId } });
    expect(items.find(({ id }) => id === rule.id)?.path).toBe("/new-c");
    // what was reported is not reported again
    expect(await crawlAndWait()).toEqual([]);
    // the page that moved has another title since, which only the crawl's look has seen
    expect(await fetchAndWait()).toEqual(["changed 2 /,/new-c"]);
    // what the crawl marked as gone is gone in the review of the fetch too, not newly failing
    const { counts, new_failures: newly } = await product.rest.call("getReview", {
      params: { id: await newestFetch() },
      query: {},
    });
    expect([counts.gone, counts.failed, newly]).toEqual([2, 0, 0]);
    // the review of that fetch has what the crawl before it found, and the next review no longer has it
    const seen = async () => {
      const review_of = await newestFetch();
      return (await product.rest.call("listLifecycle", { params: { id: objectId }, query: { review_of } })).items;
    };
    expect(await seen()).toHaveLength(7);
    // one of each kind, with the number of all: many new pages hide none that is gone
    const query = { review_of: await newestFetch(), each: 1 };
    const some = await product.rest.call("listLifecycle", { params: { id: objectId }, query });
    expect(some.counts).toEqual({ gone: 2, moved: 1, new: 3, unlinked: 1 });
    expect(some.items.map(({ kind }) => kind).toSorted()).toEqual(["gone", "moved", "new", "unlinked"]);
    expect(some.items.find(({ kind }) => kind === "gone")?.url).toBe(
      (await seen()).find(({ kind }) => kind === "gone")?.url,
    );
    expect(await fetchAndWait()).toEqual([]);
    expect(await seen()).toEqual([]);
  });

  test("a move is undone once, with what was fetched since", async () => {
    const [move] = await lifecycle("moved");
    expect(move).toMatchObject({ can_undo: true, said: "redirected", undone_at: null });
    await product.rest.call("undoMove", { params: { id: move?.id ?? "" }, body: {} });
    const [old, fresh] = await Promise.all([instanceAt("/c"), instanceAt("/new-c")]);
    expect(old?.id).toBe(move?.instance.id);
    expect([old?.snapshots_total, fresh?.snapshots_total]).toEqual([2, 3]);
    expect((await lifecycle("moved"))[0]).toMatchObject({ can_undo: false, undone_at: expect.any(String) });
    await expect(product.rest.call("undoMove", { params: { id: move?.id ?? "" }, body: {} })).rejects.toThrow(/move/);
    await product.rest.call("getTestInstance", { params: { id: old?.id ?? "" } });
  });

  test("a page that is linked again, or answers again, is back", async () => {
    write("/a");
    link("/a", ...linked, "/d");
    expect(await crawlAndWait()).toEqual(["recovered 2 /a,/d"]);
    expect(await crawlAndWait()).toEqual([]);
    link(...linked.filter((path) => path !== "/d"));
    expect(await crawlAndWait()).toEqual(["unlinked 1 /d"]);
    expect((await lifecycle())[0]).toMatchObject({ kind: "unlinked", said: expect.stringMatching(/^hidden again/) });
    link(...linked, "/d");
    expect(await crawlAndWait()).toEqual(["recovered 1 /d"]);
  });

  test("the same content elsewhere is the page that moved, where the old address is gone", async () => {
    const old = await instanceAt("/e");
    site.pages.set("/e-2", site.pages.get("/e") ?? "");
    site.pages.delete("/e");
    link(...linked.map((path) => (path === "/e" ? "/e-2" : path)));
    expect(await crawlAndWait()).toEqual(["moved 1 /e"]);
    const moved = await instanceAt("/e-2");
    expect(moved?.id).toBe(old?.id);
    await until(
      "the page at its new address to be compared with the old one",
      async () => (await instanceAt("/e-2"))?.status === "unchanged",
    );
  });

  test("a page that names its own address, and says at each visit when, is seen to have moved too", async () => {
    const page = (path: string, at: number) =>
      `<link rel="alternate" href="${site.url.replace(/\/$/, "")}${path}"><h1>Own</h1><p>Read it at <a href="${path}">${path}</a></p><i>${at}</i>`;
    await product.rest.call("createRule", { params: { id: objectId }, body: { kind: "element", selector: "i" } });
    site.pages.set("/own", page("/own", 1));
    link(...linked, "/own");
    await crawlAndWait();
    await fetchAndWait();
    const old = await instanceAt("/own");
    site.pages.delete("/own");
    site.pages.set("/own-2", page("/own-2", 2));
    link(...linked.map((path) => (path === "/own" ? "/own-2" : path)));
    expect(await crawlAndWait()).toEqual(["moved 1 /own"]);
    expect((await instanceAt("/own-2"))?.id).toBe(old?.id);
    link(...linked.filter((path) => path !== "/own-2"));
    site.pages.delete("/own-2");
    expect(await crawlAndWait()).toEqual(["gone 1 /own-2"]);
  });

  test("behind a page that fails nothing is called unlinked", async () => {
    write("/deep");
    site.pages.set("/hub", `<a href="/deep">deep</a>`);
    link(...linked, "/hub");
    expect(await crawlAndWait()).toEqual(["new 1 /deep", "new 1 /hub"]);
    site.pages.set("/hub", (_, response) => void response.writeHead(403).end("away"));
    expect(await crawlAndWait()).toEqual([]);
    site.pages.set("/hub", "<p>No links any more</p>");
    expect(await crawlAndWait()).toEqual(["unlinked 1 /deep"]);
  });
});

test("a page that is gone is fetched for the days that its object says, and no longer", async () => {
  site.pages.delete("/f");
  expect(await fetchAndWait()).toEqual(["changed 1 /", "gone 1 /f"]);
  const fetched = async () => (await instanceAt("/f"))?.snapshots_total;
  const before = (await fetched()) ?? 0;
  await fetchAll(product, objectId);
  expect(await fetched()).toBe(before + 1);
  await product.db.query(
    "UPDATE test_instance SET lifecycle_at = now() - interval '31 days' WHERE test_object_id = $1 AND url LIKE '%/f'",
    [objectId],
  );
  await fetchAll(product, objectId);
  expect(await fetched()).toBe(before + 1);
  await product.rest.call("updateTestObject", { params: { id: objectId }, body: { gone_after_days: 40 } });
  write("/f");
  expect(await fetchAndWait()).toEqual(["recovered 1 /f"]);
});

describe("confirmed before told", () => {
  test("what is as before when looked at again is flapping, and what stays is told", async () => {
    await product.rest.call("updateTestObject", { params: { id: objectId }, body: { confirm_after_s: 1 } });
    let asked = 0;
    const once = (
      path: string,
      first: (response: Parameters<Exclude<Parameters<Site["pages"]["set"]>[1], string>>[1]) => void,
    ) => {
      const page = site.pages.get(path);
      site.pages.set(path, (_, response) => {
        asked++;
        if (page !== undefined) site.pages.set(path, page);
        first(response);
      });
    };
    once("/x", (response) => void response.writeHead(403).end("away"));
    once("/y", (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Other</h1>"));
    write("/z", "changed for good");
    expect(await fetchAndWait()).toEqual(["changed 1 /z"]);
    expect(asked).toBe(2);
    const flaps = await lifecycle("flapping");
    expect(flaps.map(({ url }) => new URL(url).pathname).toSorted()).toEqual(["/x", "/y"]);
    // and the next fetch reports nothing about them
    expect(await fetchAndWait()).toEqual([]);
  });

  test("a page that answers when looked at again is not gone, and not back afterwards", async () => {
    const page = site.pages.get("/x");
    site.pages.set("/x", (_, response) => {
      if (page !== undefined) site.pages.set("/x", page);
      response.writeHead(404).end("not now");
    });
    expect(await fetchAndWait()).toEqual([]);
    expect((await instanceAt("/x"))?.lifecycle).toBeNull();
    expect(await fetchAndWait()).toEqual([]);
    // one that stays away is
    site.pages.delete("/x");
    expect(await fetchAndWait()).toEqual(["gone 1 /x"]);
    expect((await instanceAt("/x"))?.lifecycle).toBe("gone");
  });
});
