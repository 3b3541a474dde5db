import { expect, test } from "@jest/globals";
import { type ReadTask, readPage } from "./read-page.js";

const site = "https://example.com";
const pictures = `${'<img src="a.png">'.repeat(60)}<img src="b.png">`;
const sheet = `${"p { background: url(a.png) }".repeat(60)}p { background: url(b.png) }`;

const read = (text: string, task: { find: "page-assets" | "document-assets" | "css-assets" }, filesMax: number) => {
  const common = { bytes: Buffer.from(text), baseUrl: `${site}/`, noscript: "show", filesMax } as const;
  const whole: Record<typeof task.find, ReadTask> = {
    "page-assets": { ...common, find: "page-assets", charset: "utf-8" },
    "document-assets": { ...common, find: "document-assets", contentType: "text/html" },
    "css-assets": { ...common, find: "css-assets", contentType: "text/css" },
  };
  return readPage(whole[task.find]);
};

// a page of 2 MiB can name 130,000 files, which takes 0.6 s to list to the end
test.each([
  ["page-assets", pictures],
  ["document-assets", pictures],
  ["css-assets", sheet],
] as const)("%s: the reading ends where enough addresses were read", (find, text) => {
  expect(read(text, { find }, 4)).toMatchObject([{ url: `${site}/a.png` }, { url: `${site}/b.png` }]);
  // of two files at most, 40 addresses are read, and the second file comes after 60
  expect(read(text, { find }, 2)).toMatchObject([{ url: `${site}/a.png` }]);
});
