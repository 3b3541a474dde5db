import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createBrowserLoader } from "@web-tester/loader/browser/browser-loader";
import { type BrowserPool, createBrowserPool } from "@web-tester/loader/browser/browser-pool";
import { createLoader } from "@web-tester/loader/load-page";
import type { PageRequest, PageResult } from "@web-tester/loader/page-result";
import { consentFor, createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createEgress, type Egress } from "@web-tester/platform/egress/egress";
import { createFilteringProxy, type FilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import { judge } from "./zoo/judge.mjs";
import { serve, zoo } from "./zoo/serve.mjs";

/** Pages as on real sites: each is stored as a person would have seen it, or fails with a message; never anything else. */
const policy = createAddressPolicy({ private: "own-host", allow: [], ownAddresses: [] });
let proxy: FilteringProxy;
let pool: BrowserPool;
let egress: Egress;

const visits = zoo.flatMap((page) =>
  (["browser", ...(page.also ?? [])] as const).map((mode) => ({ page, mode, name: `${page.name} (${mode})` })),
);
const results = new Map<string, PageResult>();

beforeAll(async () => {
  proxy = createFilteringProxy(policy);
  const log = () => undefined;
  pool = createBrowserPool({ chromiumPath: process.env["CHROMIUM_PATH"], proxy, userAgent: "zoo/1.0", log });
  egress = createEgress(policy, {});
  // many of them wait, so they are all loaded concurrently
  await Promise.all(
    visits.map(async ({ page, mode, name }) => {
      const site = await serve(page);
      results.set(name, await load(mode, site.url, page.deadlineMs));
      await site.close();
    }),
  );
}, 600_000);
afterAll(async () => {
  await pool.close();
  await proxy.close();
  await egress.close();
});

async function load(mode: "browser" | "http", url: string, deadlineMs = 25_000): Promise<PageResult> {
  const request: PageRequest = { url, consent: consentFor(new URL(url)), deadlineMs, asSeen: true };
  const { signal } = new AbortController();
  if (mode === "http") return createLoader({ egress, userAgent: "zoo/1.0" }).loadPage(request, signal);
  return createBrowserLoader(pool).loadPage({ ...request, owner: url, enter: async () => () => undefined }, signal);
}

describe("the zoo", () => {
  test("is large", () => {
    expect(zoo.length).toBeGreaterThanOrEqual(60);
  });

  test.each(visits)("$name", ({ page, name }) => {
    const result = results.get(name);
    expect(result === undefined ? ["it was not visited"] : judge(page, result)).toEqual([]);
  });

  test("what is wrong with a page is told", () => {
    const page = { name: "one", answers: {}, has: ["here"], lacks: ["gone"] };
    const body = (text: string) => ({ kind: "page", body: Buffer.from(text), warning: null }) as unknown as PageResult;
    expect(judge(page, body("here"))).toEqual([]);
    expect(judge(page, body("gone"))).toEqual(["it lacks here", "it has gone"]);
    const failed = { kind: "failed", code: "timed_out", message: "Too slow." } as unknown as PageResult;
    expect(judge(page, failed)).toEqual(["timed_out instead of page: Too slow."]);
    expect(judge({ ...page, fails: "timed_out", words: /slow/ }, failed)).toEqual([]);
    expect(judge({ ...page, fails: "timed_out", words: /late/ }, failed)).toEqual(["its words are “Too slow.”"]);
    expect(judge({ ...page, fails: "timed_out" }, body("here"))).toEqual(["page instead of timed_out"]);
  });
});
