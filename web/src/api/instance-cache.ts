import type { TestInstance } from "@web-tester/contracts/entities/instance";
import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { keys } from "./keys.js";

/** Puts a snapshot that was just made at the top of its instance's list. */
export function addSnapshot(client: QueryClient, instanceId: string, snapshot: TestSnapshotSummary): void {
  client.setQueryData<InfiniteData<TestInstance, number>>(keys.instancePages(instanceId), (data) => {
    const first = data?.pages[0];
    if (data === undefined || first === undefined || first.testsnapshots.some((known) => known.id === snapshot.id))
      return data;
    const page: TestInstance = {
      ...first,
      snapshots_total: first.snapshots_total + 1,
      testsnapshots: [snapshot, ...first.testsnapshots],
    };
    return { ...data, pages: [page, ...data.pages.slice(1)] };
  });
}
