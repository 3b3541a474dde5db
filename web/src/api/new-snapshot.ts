import type { TestInstance } from "@web-tester/contracts/entities/instance";
import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { call } from "./client.js";
import { keys } from "./keys.js";

/**
 * Makes a new snapshot of a page: the record is created and shown at once, and its fetch is asked for afterwards (specification §4).
 * @returns its id
 */
export async function newSnapshot(client: QueryClient, instanceId: string): Promise<string> {
  const {
    html: _html,
    headers: _headers,
    redirects: _redirects,
    charset: _charset,
    render: _render,
    testinstance: _instance,
    testobject: _object,
    ...summary
  } = await call("createTestSnapshot", { body: { testinstance_id: instanceId } });
  addSnapshot(client, instanceId, summary);
  await call("fetchTestSnapshot", { params: { id: summary.id }, query: { action: "fetch" } });
  return summary.id;
}

/** Adds a new snapshot at the top of its instance's cached list. */
function addSnapshot(client: QueryClient, instanceId: string, snapshot: TestSnapshotSummary): void {
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
