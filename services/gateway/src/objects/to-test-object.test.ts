import { expect, test } from "@jest/globals";
import { testObject } from "@web-tester/contracts/entities/object";
import { initialSettings } from "@web-tester/contracts/object-settings";
import type { ObjectRow } from "./select-objects.sql.js";
import { byUrgency, toTestObject } from "./to-test-object.js";

const runId = "0199f3a0-0000-7000-8000-000000000001";
const row = (part: Partial<ObjectRow>): ObjectRow => ({
  id: "0199f3a0-0000-7000-8000-000000000000",
  name: "a",
  url: "http://a/",
  ...initialSettings,
  auth_password_set: true,
  request_header_names: [],
  login_steps: [],
  secret_versions: { auth_password: "0123456789abcdef", request_headers: null, login_steps: null },
  retention_waits_until: null,
  removed_by_age: 0,
  removed_by_count: 0,
  removed_unchanged: 0,
  removed_at: null,
  deleting: false,
  created_at: "1970-01-01T00:00:00+00:00",
  instances_total: 2,
  snapshots_total: 4,
  max_snapshots: 2,
  changed: 0,
  failed: 0,
  history: [],
  runs: [],
  review: null,
  removal: null,
  ...part,
});

test("shows what the contract says, bars at rest where nothing ran, history oldest first", () => {
  const shown = toTestObject(
    row({
      history: [2, 1].map((n) => ({
        id: runId,
        finished_at: `2026-01-0${n}T00:00:00+00:00`,
        total: n,
        changed: 0,
        failed: 0,
      })),
      runs: [{ id: runId, bar: "crawl", kind: "crawl", state: "running", total: 9, completed: 4, failed: 1 }],
    }),
    null,
  );
  expect(testObject.parse(shown)).toEqual(shown);
  expect(shown.history.map((run) => run.total)).toEqual([1, 2]);
  expect(shown.progress.crawl).toEqual({ total: 9, completed: 4, failed: 1, running: true, runId });
  expect(shown.progress.deletion).toEqual({ total: 0, completed: 0, failed: 0, running: false, runId: null });
});

test("running, failed, changed, unchanged, never fetched; by name within", () => {
  const objects = [
    row({ name: "never", snapshots_total: 0 }),
    row({ name: "quiet 10" }),
    row({ name: "Quiet 9" }),
    row({ name: "changed", changed: 1 }),
    row({ name: "failed", failed: 1, changed: 5 }),
    row({
      name: "running",
      runs: [
        { id: runId, bar: "snapshotAll", kind: "snapshot-all", state: "running", total: 1, completed: 0, failed: 0 },
      ],
    }),
    row({
      name: "ran",
      runs: [
        { id: runId, bar: "snapshotAll", kind: "snapshot-all", state: "finished", total: 1, completed: 1, failed: 0 },
      ],
    }),
  ].map((each) => toTestObject(each, null));
  expect(objects.sort(byUrgency).map((object) => object.name)).toEqual([
    "running",
    "failed",
    "changed",
    "Quiet 9",
    "quiet 10",
    "ran",
    "never",
  ]);
});
