import { expect, test } from "@jest/globals";
import { HealthController } from "./health.controller.js";

type Parts = ConstructorParameters<typeof HealthController>;

/** What `/readyz` says while every part answers. @param writeProblem why the store refuses to be written */
async function readiness(writeProblem: string | null): Promise<unknown> {
  const well = () => Promise.resolve();
  const parts = [
    { query: () => Promise.resolve([{ mode: "off" }]) },
    { check: well },
    { check: well, writeProblem: () => writeProblem },
    {},
    { fullDisk: () => null },
    () => Promise.resolve(null),
  ] as unknown as Parts;
  let said: unknown;
  const response = { setHeader: () => undefined, json: (body: unknown) => (said = body) };
  await new HealthController(...parts).ready(response as unknown as Parameters<HealthController["ready"]>[0]);
  return said;
}

test("a store that can be read but not written is named, and requests are still sent here", async () => {
  expect(await readiness(null)).toEqual({ status: "ready" });
  expect(await readiness("The disk is full.")).toEqual({
    ...{ status: "ready", degraded: [{ name: "storage", reason: "The disk is full." }] },
  });
});
