import { expect, test } from "@jest/globals";
import { createDrawnLinks } from "./drawn-links.js";

interface Looked {
  kind?: string;
  holders?: string[];
  links?: number;
  finds?: boolean;
  fails?: boolean;
}

/** Offers pages one after the other. @returns which of them were looked at */
async function looksAt(pages: readonly Looked[]): Promise<boolean[]> {
  const drawnLinks = createDrawnLinks();
  const looked: boolean[] = [];
  for (const { kind = "a", holders = [], links = 0, finds = false, fails = false } of pages) {
    const look = async () => ({ isSeen: !fails, isOfUse: finds });
    looked.push((await drawnLinks.look({ kind, holders }, links, look)) !== null);
  }
  return looked;
}

test("pages with the same scripts are looked at once where these make no links, and again where a page has a place that none before had", async () => {
  expect(await looksAt([{}, {}, { kind: "b" }, {}])).toEqual([true, false, true, false]);
  const [list, box] = ["div id=list", "div id=box"];
  expect(await looksAt([{}, { holders: [list] }, { holders: [list] }, { holders: [list, box] }])).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

test("a look that failed tells nothing of a page's scripts, and is one in vain", async () => {
  const holders = ["div id=list"];
  const failed = { holders, fails: true };
  expect(await looksAt([failed, { holders }, { holders }])).toEqual([true, true, false]);
  expect(await looksAt([{ holders }, { holders: ["ul id=more"], fails: true }, { holders: ["ul id=more"] }])).toEqual([
    true,
    true,
    true,
  ]);
  const looked = await looksAt(Array.from({ length: 20 }, () => failed));
  expect(looked.filter(Boolean)).toHaveLength(6);
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

test.each([
  [2, []],
  [2, ["div class=clear"]],
  [6, ["ul class=list"]],
  [6, ["div class=box data-items"]],
  [6, ["section id=offers"]],
  [6, ["site-menu "]],
])(
  "of a site each of whose pages has other scripts %i are looked at in vain where their places are %j",
  async (looks, holders) => {
    const looked = await looksAt(Array.from({ length: 60 }, (_, index) => ({ kind: `${index}`, holders })));
    expect(looked.filter(Boolean)).toHaveLength(looks);
  },
);

test("a page with many links is looked at only where it has a place that is made for more", async () => {
  const links = 30;
  expect(await looksAt([{ links }, { links, holders: ["div class=clear"] }, { links: 29 }])).toEqual([
    false,
    false,
    true,
  ]);
  expect(await looksAt([{ links, holders: ["ul class=list"] }])).toEqual([true]);
});

test("looks of which little was to be expected are none of those of which much is", async () => {
  const plain = Array.from({ length: 9 }, (_, index) => ({ kind: `${index}` }));
  expect(await looksAt([...plain, { holders: ["ul id=list"] }])).toEqual([
    true,
    true,
    ...plain.slice(2).map(() => false),
    true,
  ]);
});

test("pages that come beside one another wait for the first look", async () => {
  const drawnLinks = createDrawnLinks();
  let looks = 0;
  const beside = (isOfUse: boolean, kind: string) =>
    Promise.all(
      Array.from({ length: 5 }, () =>
        drawnLinks.look({ kind, holders: [] }, 0, async () => {
          looks += 1;
          await new Promise(setImmediate);
          return { isSeen: true, isOfUse };
        }),
      ),
    );
  await beside(false, "a");
  expect(looks).toBe(1);
  await beside(true, "b");
  expect(looks).toBe(6);
});
