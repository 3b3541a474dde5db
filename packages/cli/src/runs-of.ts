import type { Run } from "@web-tester/contracts/entities/run";
import type { Call } from "./client.js";

const runsAtOnce = 100;

/** The runs of an object (of one kind, or of several with commas between), newest first, asked for as far as they are read: a site that is watched for years has thousands of them. */
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
