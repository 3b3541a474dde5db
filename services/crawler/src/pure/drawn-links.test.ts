import { expect, test } from "@jest/globals";
import { createDrawnLinks } from "./drawn-links.js";

/** Looks at pages one after the other. @returns which of them were looked at */
async function looksAt(pages: readonly { kind?: string; holders?: string[]; finds?: boolean }[]): Promise<boolean[]> {
  const drawnLinks = createDrawnLinks();
  const looked: boolean[] = [];
  for (const { kind = "a", holders = [], finds = false } of pages)
    looked.push((await drawnLinks.look({ kind, holders }, async () => ({ isOfUse: finds }))) !== null);
  return looked;
}

test("pages with the same scripts are looked at once where these make no links, and again where a page has a place that none before had", async () => {
  expect(await looksAt([{}, {}, { kind: "b" }, {}])).toEqual([true, false, true, false]);
  const [list, box] = ["div class=list", "div class=box"];
  expect(await looksAt([{}, { holders: [list] }, { holders: [list] }, { holders: [list, box] }])).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

test("all pages are looked at whose scripts make links, until they add none five times in a row", async () => {
  const looked = await looksAt([
    { finds: true },
    ...Array.from({ length: 4 }, () => ({})),
    { finds: true },
    ...Array.from({ length: 7 }, () => ({})),
  ]);
  expect(looked).toEqual([...Array.from({ length: 11 }, () => true), false, false]);
});

test("a site each of whose pages has scripts of its own costs few looks in vain, and fewer where these have nothing to fill", async () => {
  const pages = (holders: string[]) => Array.from({ length: 60 }, (_, index) => ({ kind: `${index}`, holders }));
  expect((await looksAt(pages([]))).filter(Boolean)).toHaveLength(2);
  expect((await looksAt(pages(["div class=list"]))).filter(Boolean)).toHaveLength(6);
});

test("pages that come beside one another wait for the first look", async () => {
  const drawnLinks = createDrawnLinks();
  let looks = 0;
  const beside = (isOfUse: boolean, kind: string) =>
    Promise.all(
      Array.from({ length: 5 }, () =>
        drawnLinks.look({ kind, holders: [] }, async () => {
          looks += 1;
          await new Promise(setImmediate);
          return { isOfUse };
        }),
      ),
    );
  await beside(false, "a");
  expect(looks).toBe(1);
  await beside(true, "b");
  expect(looks).toBe(6);
});
