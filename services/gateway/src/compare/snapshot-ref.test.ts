import { describe, expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { type RefQuery, snapshotRefs } from "./snapshot-ref.js";

const [s, t, i, j] = ["1", "2", "3", "4"].map((n) => `0199f3a0-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
  string,
];

test.each<[string, RefQuery, unknown]>([
  [
    "snapshots",
    { a: s, b: t },
    [
      { by: "snapshot", snapshotId: s, instanceId: null },
      { by: "snapshot", snapshotId: t, instanceId: null },
    ],
  ],
  [
    "ids of either kind",
    { instance1: s, instance2: i },
    [
      { by: "either", id: s },
      { by: "either", id: i },
    ],
  ],
  [
    "instances with indices",
    { instance1: i, snapshot1: "0", instance2: j, snapshot2: "17" },
    [
      { by: "index", instanceId: i, index: 0 },
      { by: "index", instanceId: j, index: 17 },
    ],
  ],
  [
    "instances with snapshots",
    { instance1: i, snapshot1: s, instance2: i, snapshot2: t },
    [
      { by: "snapshot", snapshotId: s, instanceId: i },
      { by: "snapshot", snapshotId: t, instanceId: i },
    ],
  ],
  [
    "ids in capital letters",
    { instance1: i.toUpperCase(), snapshot1: s.toUpperCase(), b: t.toUpperCase() },
    [
      { by: "snapshot", snapshotId: s, instanceId: i },
      { by: "snapshot", snapshotId: t, instanceId: null },
    ],
  ],
  [
    "mixed, empty ones left out",
    { a: s, instance1: "", instance2: i, b: "", snapshot2: "" },
    [
      { by: "snapshot", snapshotId: s, instanceId: null },
      { by: "either", id: i },
    ],
  ],
  [
    "a snapshot without its instance",
    { snapshot1: s, b: t },
    [
      { by: "snapshot", snapshotId: s, instanceId: null },
      { by: "snapshot", snapshotId: t, instanceId: null },
    ],
  ],
])("%s", (_, query, expected) => {
  expect(snapshotRefs(query)).toEqual(expected);
});

describe("refuses", () => {
  test.each<[string, RefQuery, string[]]>([
    ["nothing", {}, ["query.a", "query.b"]],
    ["one side missing", { a: s }, ["query.b"]],
    ["what is no id", { a: "1", b: t }, ["query.a"]],
    ["an instance that is no id", { instance1: "x", instance2: i }, ["query.instance1"]],
    ["an index without an instance", { snapshot1: "0", b: t }, ["query.instance1"]],
    ["a negative index", { instance1: i, snapshot1: "-1", b: t }, ["query.snapshot1"]],
    ["a fraction", { instance1: i, snapshot1: "0.5", b: t }, ["query.snapshot1"]],
    ["an index beyond all numbers", { instance1: i, snapshot1: "99999999999999999999", b: t }, ["query.snapshot1"]],
  ])("%s", (_, query, paths) => {
    let refused: unknown;
    try {
      snapshotRefs(query);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(AppError);
    expect(refused).toMatchObject({
      code: "invalid_input",
      details: paths.map((path) => ({ path, message: expect.any(String) })),
    });
  });
});
