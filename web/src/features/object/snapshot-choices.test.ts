import { expect, test } from "@jest/globals";
import type { InstanceStatus } from "@web-tester/contracts/entities/vocabulary";
import { snapshotChoices } from "./snapshot-choices.js";

const instance = (name: string, snapshots_total: number, ...statuses: InstanceStatus[]) => ({
  id: "i1",
  name,
  url: "https://a.example/x",
  snapshots_total,
  history: statuses.map((status, index) => ({ snapshot_id: `${name}${index}`, status, size: 0 })),
});

test("positions count from the oldest snapshot, also where only the newest are known", () => {
  expect(snapshotChoices([instance("Start", 20, "unchanged", "changed")])).toEqual([
    { value: "Start1", label: "Start #20" },
    { value: "Start0", label: "Start #19" },
  ]);
});

test("what holds no page cannot be compared", () => {
  expect(
    snapshotChoices([instance("Start", 4, "first", "failed", "running", "queued")]).map((choice) => choice.label),
  ).toEqual(["Start #1"]);
});

test("an instance without a name is called by its address", () =>
  expect(snapshotChoices([instance("", 1, "first")])[0]?.label).toBe("https://a.example/x #1"));
