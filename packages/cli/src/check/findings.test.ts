import { expect, test } from "@jest/globals";
import type { ChangeGroup } from "@web-tester/contracts/entities/review";
import { findingsOf } from "./findings.js";

test("each line that came or went has its sign", () => {
  const group: ChangeGroup = {
    ...{ fingerprint: "f", kind: "content", pages: 1, otherwise: 0, said: null },
    ...{ removed: "<li>a</li></ul>", added: "<li>a</li>\n<li>b</li></ul>" },
    sample: { instance: { id: "1", name: "", url: "http://shop.test/a" }, snapshot_id: "2", compared_with: "3" },
  };
  const [found] = findingsOf({ groups: [group], pages: [], settled: new Set() }, null);
  expect(found?.details).toBe("- <li>a</li></ul>\n+ <li>a</li>\n+ <li>b</li></ul>");
});
