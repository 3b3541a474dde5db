import { expect, test } from "@jest/globals";
import { scriptBytes } from "../../benches/lib/script-bytes.mjs";

/** What a browser has to fetch before it shows anything. */
test("the application begins with at most 200 kB of JavaScript", async () => {
  const { first, all } = await scriptBytes();
  expect(first).toBeGreaterThan(50_000);
  expect(first).toBeLessThanOrEqual(200_000);
  // the code of the screens is loaded when they are opened
  expect(all).toBeGreaterThan(first + 100_000);
});
