import type { QueryClient } from "@tanstack/react-query";
import { call } from "./client.js";
import { addSnapshot } from "./instance-cache.js";

/**
 * A new snapshot of a page: the record comes first and is shown at once; its fetch is asked for after that (specification §4).
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
