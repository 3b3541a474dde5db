import { expect, test } from "@jest/globals";
import type { AuditEntry } from "@web-tester/contracts/entities/access";
import { csvHead, toCsv } from "./audit-csv.js";

const entry: AuditEntry = {
  ...{ id: "0198c0de-0000-7000-8000-000000000001", at: "2030-01-01T00:00:00.000Z", actor: "CI", actor_kind: "token" },
  ...{ role: "operator", address: "127.0.0.1", action: "updateTestObject", subject_kind: "test object" },
  ...{ subject_id: null, testobject_id: null, object_name: "Docs", made_id: null, fields: ["name", "url"] },
  ...{ outcome: "done", status: 200, code: null },
};

test("a line has as many cells as the first one", () => {
  expect(toCsv(entry).split(",")).toHaveLength(csvHead.split(",").length);
  expect(toCsv(entry)).toContain("updateTestObject,test object,,,Docs,,name url,done,200,,");
});

test.each([
  ['a "b", c', '"a ""b"", c"'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["-cmd", "'-cmd"],
  ["Docs;=1+1", "Docs;'=1+1"],
  ["two\n=1+1", `"two\n'=1+1"`],
  ["a=b;c", "a=b;c"],
])("%j becomes %j", (name, cell) => {
  expect(toCsv({ ...entry, object_name: name })).toContain(`,${cell},`);
});
