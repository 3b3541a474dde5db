import { createBrowserLoader } from "@web-tester/loader/browser/browser-loader";
import { type BrowserPool, createBrowserPool } from "@web-tester/loader/browser/browser-pool";
import type { LoadedPage, PageRequest, PageResult } from "@web-tester/loader/page-result";
import { type AddressPolicy, consentFor, createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createFilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import type { Names } from "@web-tester/platform/egress/names";
import type { Lookup } from "@web-tester/platform/egress/resolve";

/** The fetcher's browser without a fetcher. */
export interface BrowserLoading {
  pool: BrowserPool;
  /** Loads a page for an object whose URL is the page's own, unless `request` says otherwise. */
  load(url: string, request?: Partial<PageRequest> & { owner?: string; signal?: AbortSignal }): Promise<PageResult>;
  close(): Promise<void>;
}

/** The page that was loaded. @throws where none was, with what came instead */
export function pageOf(result: PageResult): LoadedPage {
  if (result.kind !== "page") throw new Error(JSON.stringify(result));
  return result;
}

export function startBrowserLoading(
  options: {
    policy?: AddressPolicy;
    lookup?: Lookup;
    names?: Names;
    tabs?: number;
    processMaxBytes?: number;
    idleMs?: number;
  } = {},
): BrowserLoading {
  const {
    policy = createAddressPolicy({ private: "own-host", allow: [], ownAddresses: [] }),
    lookup,
    names,
    ...rest
  } = options;
  const proxy = createFilteringProxy(policy, {
    ...(lookup === undefined ? {} : { lookup }),
    ...(names === undefined ? {} : { names }),
  });
  const pool = createBrowserPool({
    chromiumPath: process.env["CHROMIUM_PATH"],
    proxy,
    userAgent: "web-tester-test/1.0",
    log: () => undefined,
    ...rest,
  });
  const loader = createBrowserLoader(pool);
  return {
    pool,
    load: (url, { owner = "one object", signal = new AbortController().signal, ...request } = {}) =>
      loader.loadPage(
        { url, consent: consentFor(new URL(url)), owner, enter: async () => () => undefined, ...request },
        signal,
      ),
    async close() {
      await pool.close();
      await proxy.close();
    },
  };
}
