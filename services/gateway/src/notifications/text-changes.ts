import type { Route } from "@web-tester/contracts/entities/notifications";
import { decodeAs } from "@web-tester/html/charset/decode-as";
import { visiblePhrase, visibleText } from "@web-tester/html/text/visible-text";
import type { Queryable } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { type ChangedContents, selectWithoutText } from "@web-tester/records/events/run-findings";
import type { UntoldRun } from "@web-tester/records/events/tell-run";
import { rulesInForce } from "@web-tester/records/rules/ignore-rules";
import { LeftPage } from "@web-tester/signal/compare/left-page";
import { pathOf, RuleSet } from "@web-tester/signal/rules/rule-set";

/** The most milliseconds for all routes of one run together, as its messages wait for them; pages not read by then count as without the text. */
const togetherMs = 5_000;
/** Larger pages are not read. */
const maxChars = 2_000_000;

type Filter = Pick<Route, "path" | "text">;

/**
 * Creates the function that reads the changed pages of one run and returns the snapshots that hold a text more or less often than the ones
 * before, as readers see it or in the source, without what rules ignore. Left out are those whose stored changes hold it anyway.
 */
export function createTextChanges(
  tx: Queryable,
  store: ObjectStore,
  { id: runId, objectId }: Pick<UntoldRun, "id" | "objectId">,
): (filter: Filter) => Promise<string[]> {
  let endsAt: number | null = null;
  let rules: RuleSet | null = null;
  const holds = async (pair: ChangedContents, phrase: string, set: RuleSet): Promise<boolean> => {
    const read = async (hash: string, charset: string | null) => {
      const bytes = await store.read(Buffer.from(hash, "hex")).catch(() => null);
      return bytes === null ? "" : decodeAs(bytes, charset);
    };
    const [older, newer] = [await read(pair.older, pair.olderCharset), await read(pair.newer, pair.newerCharset)];
    if (older === "" || newer === "" || older.length + newer.length > maxChars) return false;
    const count = (html: string) => timesIn(new LeftPage(html, set.of(pathOf(pair.url))).text, phrase);
    return count(older) !== count(newer);
  };
  return async (filter) => {
    endsAt ??= performance.now() + togetherMs;
    rules ??= new RuleSet((await rulesInForce(tx, [objectId])).get(objectId) ?? []);
    const found: string[] = [];
    for (const pair of await selectWithoutText(tx, runId, filter)) {
      if (performance.now() > endsAt) break;
      if (await holds(pair, folded(filter.text), rules)) found.push(pair.id);
    }
    return found;
  };
}

/** Returns how often a phrase is in the text that readers see, and how often in the source. */
const timesIn = (html: string, phrase: string): string =>
  [visibleText(html), html].map((text) => folded(text).split(phrase).length - 1).join(" ");

const folded = (text: string): string =>
  visiblePhrase(text).replaceAll("\n", " ").trim().normalize("NFC").toLowerCase();
