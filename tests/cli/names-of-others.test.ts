import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createProgram } from "@web-tester/cli/program";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";

/** The name that somebody gave a site cannot inject commands into the terminal or the pipeline of somebody else. */
let product: Product;
const name = "Hats\u001b[2J\n::error::mine";
const address = "http://127.0.0.1:9/hats";

beforeAll(async () => {
  product = await shareProduct(reachesLoopback);
});
afterAll(() => product.stop());

async function run(...args: string[]): Promise<string> {
  let said = "";
  const screen = { write: (text: string) => (said += text) };
  const parts = { env: { WEB_TESTER_URL: product.address }, out: screen, progress: screen };
  await createProgram({ ...parts, onInterrupt: () => undefined })(["node", "web-tester", ...args]);
  return said;
}

test.each([
  ["add", address, "--name", name],
  ["objects"],
  ["check", address, "--no-fetch"],
  ["fetch", `${name} which is not there`],
])("%s says it in one line of plain signs", async (...args) => {
  const said = await run(...args);
  expect(said).toContain("Hats");
  expect(said).not.toMatch(/(?!\n)\p{Cc}/u);
  expect(said).not.toMatch(/^::/m);
});
