import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import type { Queryable } from "@web-tester/platform/database/database";
import { rulesInForce } from "../rules/ignore-rules.js";
import { freshMax, type PageContent, type ReadingRun, selectContents, selectFreshContents } from "./missed-pages.js";

/**
 * Returns a key of a page's content without its own address and without what rules ignore: equal keys mean the same page at two addresses.
 * Null when there is none, or not in time.
 */
export type ContentKey = (page: PageContent, rules: readonly AppliedRule[]) => Promise<string | null>;

/**
 * Finds new pages with the content of pages that are gone, even if each contains its own address.
 * @param gone ids of instances that are gone and whose exact bytes no new page has
 * @returns addresses of new pages by the content (hex) of the page that is gone, if exactly one is like it
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
