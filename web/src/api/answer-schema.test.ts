import { expect, test } from "@jest/globals";
import { diffLine } from "@web-tester/contracts/entities/compare";
import fc from "fast-check";
import { z } from "zod";
import { areDiffLines } from "./answer-schema.js";

const lines = z.array(diffLine);
const odd = fc.constantFrom<unknown>(undefined, null, "", "context", 0, 1.5, 2 ** 53, true, false, [], {}, [1], [1, 2]);
const range = fc.oneof({ weight: 6, arbitrary: fc.tuple(fc.nat(), fc.nat()) }, { weight: 1, arbitrary: odd });
const almostLine = fc.record(
  {
    kind: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("context", "removed", "added") },
      { weight: 1, arbitrary: odd },
    ),
    text: fc.oneof({ weight: 6, arbitrary: fc.string() }, { weight: 1, arbitrary: odd }),
    marks: fc.oneof({ weight: 6, arbitrary: fc.array(range) }, { weight: 1, arbitrary: odd }),
    noEol: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: odd }),
    more: odd,
  },
  { requiredKeys: ["kind", "text"] },
);

test("lines are let through exactly where the schema of the contract lets them through", () => {
  const seen = { good: 0, bad: 0 };
  fc.assert(
    fc.property(fc.oneof(fc.array(almostLine, { maxLength: 3 }), odd), (value) => {
      const said = lines.safeParse(value).success;
      seen[said ? "good" : "bad"] += 1;
      expect(areDiffLines(value)).toBe(said);
    }),
    { numRuns: 2_000 },
  );
  expect(seen.good).toBeGreaterThan(100);
  expect(seen.bad).toBeGreaterThan(100);
});
