import { expect, test } from "@jest/globals";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { attachFiles } from "./attach-files.js";
import { KeptFiles } from "./kept-files.js";
import { LeftOut } from "./left-out.js";

const site = "http://a.test/";
const hashOf = (name: string) => Buffer.from(name.padEnd(32)).toString("hex");

/** @param names style sheets of the archive, each of which refers to all of them @param pages what each page refers to */
async function attach(names: readonly string[], pages: readonly string[]) {
  const kept = new KeptFiles();
  for (const name of names)
    kept.add(`${site}${name}`, [], {
      ...{
        ms: 0,
        hash: hashOf(name),
        contentType: "text/css",
        extension: "css",
        charset: "utf-8",
        isPage: false,
        isTooLong: false,
      },
    });
  const css = names.map((name) => `@import "/${name}";`).join("");
  const staged = pages.map((name, index) => ({
    ...{ record: index + 1, hash: hashOf(`page ${name}`), charset: "utf-8", ms: 0, url: `${site}page-${index}` },
  }));
  let reads = 0;
  let turns = 0;
  let isOver = false;
  const rows: { assets: { url: string; sha256?: string }[] }[] = [];
  const tx: Queryable = {
    query: <Row>(_text: string, values: unknown[] = []) => {
      if (typeof values[1] === "string") rows.push(...JSON.parse(values[1]));
      return Promise.resolve([{ id: "1", state: "reading" }] as Row[]);
    },
  };
  const db = {
    query: () => Promise.resolve(staged.splice(0)),
    transaction: <T>(work: (inner: Queryable) => Promise<T>) => work(tx),
  } as unknown as Database;
  const store = {
    read: (hash: Uint8Array) => {
      reads += 1;
      const name = Buffer.from(hash).toString().trim();
      const page = `<link rel="stylesheet" href="/${name.slice(5)}">`;
      return Promise.resolve(Buffer.from(name.startsWith("page ") ? page : css));
    },
  };
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const leftOut = new LeftOut();
  await attachFiles({ db, store }, "import", kept, leftOut);
  isOver = true;
  return { rows, reads, turns, words: leftOut.words() };
}

test("style sheets that name one another are all there, each read once for all pages", async () => {
  const { rows, reads, words } = await attach(["a", "b", "c"], ["a", "b", "a"]);
  expect(rows.map(({ assets }) => assets.map(({ url }) => url).sort())).toEqual(
    Array.from({ length: 3 }, () => ["a", "b", "c"].map((name) => `${site}${name}`)),
  );
  expect([reads, words]).toEqual([6, []]);
});

test("hundreds that all name one another cost a bounded amount, leave others their turn, and it is said", async () => {
  const names = Array.from({ length: 600 }, (_, index) => `s${index}`);
  const { rows, reads, turns, words } = await attach(
    names,
    Array.from({ length: 40 }, () => "s0"),
  );
  expect(rows.map(({ assets }) => assets.length)).toEqual(Array.from({ length: 40 }, () => 600));
  expect(reads).toBeLessThanOrEqual(40 + 200);
  // one turn for each list that is made, and one for each page
  expect(turns).toBeGreaterThan(230);
  expect(words).toEqual([
    `Left out: 40 pages with more than 200 style sheets and frames lack the files of the rest (the first: ${site}page-0).`,
  ]);
});
