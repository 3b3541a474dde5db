import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import { limits } from "@web-tester/contracts/limits";
import { call } from "./client.js";
import type { InstanceView } from "./keys.js";

/** Reads all instances that match a filter, in its order, in parts of 1,000. */
export async function allInstances(
  objectId: string,
  { status, q, sort }: InstanceView,
): Promise<TestInstanceListItem[]> {
  const all: TestInstanceListItem[] = [];
  for (let more = true; more;) {
    const { items, hasMore } = await call("listTestInstances", {
      params: { id: objectId },
      query: { limit: limits.instancesFetchLimit, offset: all.length, status, q, sort },
    });
    all.push(...items);
    more = hasMore && items.length > 0;
  }
  return all;
}
