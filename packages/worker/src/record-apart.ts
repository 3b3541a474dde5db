import { isRefusal } from "@web-tester/platform/database/database";

/**
 * Records items together. If the database refuses the group because of one item, each half is tried separately, so that only the bad item
 * is lost.
 * @param record writes all items or none
 * @param without returns the item reduced to what can be recorded in any case, with the reason
 * @returns what `record` returned, for each group that was recorded
 * @throws what `record` throws for another reason (an outage, a bug); the groups before it are recorded by then
 */
export async function recordApart<Item, Result>(
  items: readonly Item[],
  record: (items: readonly Item[]) => Promise<Result>,
  without: (item: Item, reason: string) => Item,
): Promise<Result[]> {
  try {
    return [await record(items)];
  } catch (error) {
    const [only] = items;
    if (!isRefusal(error) || only === undefined) throw error;
    if (items.length === 1) return [await record([without(only, error.message)])];
    const middle = items.length >> 1;
    const first = await recordApart(items.slice(0, middle), record, without);
    return [...first, ...(await recordApart(items.slice(middle), record, without))];
  }
}
