import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import type { Queryable } from "@web-tester/platform/database/database";
import { rulesInForce } from "../rules/ignore-rules.js";
import { freshMax, type PageContent, type ReadingRun, selectContents, selectFreshContents } from "./missed-pages.js";

/**
 * What a page says beside its own address and what rules leave out: equal of two pages that are the same at two addresses; null where it
 * cannot be said, or not in time.
 */
export type ContentKey = (page: PageContent, rules: readonly AppliedRule[]) => Promise<string | null>;

/**
 * Finds new pages that say what pages that are gone said, also where each names its own address.
 * @param gone ids of instances that are gone and whose bytes are nowhere else
 * @returns addresses of new pages by the content (hex) of the page that is gone, where one alone is like it
 */
export async function selectLikePages(
  tx: Queryable,
  run: ReadingRun,
  gone: readonly string[],
  keyOf: ContentKey,
): Promise<Map<string, string>> {
  const fresh = gone.length === 0 ? [] : await selectFreshContents(tx, run.id);
  if (fresh.length === 0) return new Map();
  const rules = (await rulesInForce(tx, [run.objectId])).get(run.objectId) ?? [];
  const byKey = new Map<string, string[]>();
  for (const page of fresh) {
    const key = await keyOf(page, rules);
    if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), page.url]);
  }
  const found = new Map<string, string>();
  for (const page of await selectContents(tx, gone.slice(0, freshMax))) {
    const key = await keyOf(page, rules);
    const [url, ...others] = (key === null ? undefined : byKey.get(key)) ?? [];
    if (url !== undefined && others.length === 0) found.set(page.hash, url);
  }
  return found;
}
