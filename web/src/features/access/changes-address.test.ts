import { expect, test } from "@jest/globals";
import { auditQueryOf, readChangesAddress, writeChangesAddress } from "./changes-address.js";

test("an address says what is shown, and comes back as it was", () => {
  const search = writeChangesAddress(new URLSearchParams(), { q: "docs", outcome: "refused", from: "2030-01-31" });
  expect(search.toString()).toBe("q=docs&outcome=refused&from=2030-01-31");
  expect(auditQueryOf(readChangesAddress(search))).toMatchObject({
    ...{ q: "docs", outcome: "refused", actor: undefined, to: undefined },
    from: new Date("2030-01-31T00:00:00").toISOString(),
  });
  expect(writeChangesAddress(search, { q: "" }).toString()).toBe("outcome=refused&from=2030-01-31");
});

test("the last day counts to its end", () => {
  const { to } = auditQueryOf(readChangesAddress(new URLSearchParams("to=2030-01-31")));
  expect(to).toBe(new Date("2030-01-31T23:59:59.999").toISOString());
});

test.each(["to=soon", "outcome=perhaps", "from="])("%s says nothing", (search) => {
  const query = auditQueryOf(readChangesAddress(new URLSearchParams(search)));
  expect(Object.values(query).filter((value) => value !== undefined)).toEqual([]);
});
