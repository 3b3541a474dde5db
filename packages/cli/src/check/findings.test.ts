import { expect, test } from "@jest/globals";
import type { ChangeGroup } from "@web-tester/contracts/entities/review";
import { findingsOf } from "./findings.js";

const detailsOf = (fields: Pick<ChangeGroup, "kind" | "removed" | "added">) => {
  const group: ChangeGroup = {
    ...{ fingerprint: "f", pages: 1, otherwise: 0, said: null, ...fields },
    sample: { instance: { id: "1", name: "", url: "http://shop.test/a" }, snapshot_id: "2", compared_with: "3" },
  };
  return findingsOf({ groups: [group], pages: [], settled: new Set() }, null)[0]?.details;
};

test("each line that came or went has its sign", () => {
  const details = detailsOf({
    kind: "content",
    removed: "<li>a</li></ul>",
    added: "<li>a</li>\n<li>b</li></ul>",
  });
  expect(details).toBe("- <li>a</li></ul>\n+ <li>a</li>\n+ <li>b</li></ul>");
});

test("the first change of a rewritten page is not told as the only one", () => {
  expect(detailsOf({ kind: "rewritten", removed: "<p>1.4</p>", added: "<p>1.5</p>" })).toBe(
    "rewritten: more than 50 changes on each page, of one page the first:\n- <p>1.4</p>\n+ <p>1.5</p>",
  );
});

test("a part that moved is told once", () => {
  const part = "<h2>Limits</h2>\n<p>None</p>";
  expect(detailsOf({ kind: "moved", removed: part, added: part })).toBe(
    "moved, with the same content:\n  <h2>Limits</h2>\n  <p>None</p>",
  );
});
