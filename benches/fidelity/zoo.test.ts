import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createBrowserLoader } from "@web-tester/loader/browser/browser-loader";
import { type BrowserPool, createBrowserPool } from "@web-tester/loader/browser/browser-pool";
import { createLoader } from "@web-tester/loader/load-page";
import type { PageRequest, PageResult } from "@web-tester/loader/page-result";
import { consentFor, createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createEgress, type Egress } from "@web-tester/platform/egress/egress";
import { createFilteringProxy, type FilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import { serve, zoo } from "./zoo/serve.mjs";

/** Pages that real sites have: each is kept as a person would have seen it, or fails in words; never anything else. */
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
  // many of them wait, so they are all looked at together
  await Promise.all(
    visits.map(async ({ page, mode, name }) => {
      const site = await serve(page);
      results.set(name, await load(mode, site.url));
      await site.close();
    }),
  );
}, 300_000);
afterAll(async () => {
  await pool.close();
  await proxy.close();
  await egress.close();
});

async function load(mode: "browser" | "http", url: string): Promise<PageResult> {
  const request: PageRequest = { url, consent: consentFor(new URL(url)), deadlineMs: 25_000, asSeen: true };
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
    const text = result?.kind === "page" ? result.body.toString() : "";
    expect(result?.kind === "failed" ? `${result.code}: ${result.message}` : result?.kind).toMatch(
      page.fails === undefined ? /^page$/ : new RegExp(`^${page.fails}: `),
    );
    if (result?.kind === "failed") expect(result.message).toMatch(page.words ?? /./);
    expect((page.has ?? []).filter((part) => !text.includes(part))).toEqual([]);
    expect((page.lacks ?? []).filter((part) => text.includes(part))).toEqual([]);
    if (page.restless !== undefined && result?.kind === "page")
      expect((result.warning ?? "").startsWith("Not settled")).toBe(page.restless);
  });
});
