import type { Run } from "@web-tester/contracts/entities/run";
import type { Call } from "./client.js";

const runsAtOnce = 100;

/**
 * Yields the runs of an object (of one kind, or of several separated by commas), newest first. They are loaded lazily, because a site that
 * was watched for years has thousands.
 */
export async function* runsOf(
  call: Call,
  objectId: string,
  only: { kind?: string; label?: string } = {},
): AsyncGenerator<Run> {
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await call("listRuns", {
      params: { id: objectId },
      query: { ...only, limit: runsAtOnce, cursor },
    });
    yield* items;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}
