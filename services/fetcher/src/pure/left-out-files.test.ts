import { expect, test } from "@jest/globals";
import { refusedBy, refusingAlike } from "./left-out-files.js";

const finalUrl = "https://site.example/page";
const own = { url: "https://site.example/a.png", kind: "image" };

test("pictures, fonts and media are refused by the policies of a page, what depends on an element is not", () => {
  const isRefused = refusedBy({ policies: ["default-src 'none'; img-src https://cdn.example"], finalUrl });
  const kinds = ["image", "font", "media", "stylesheet", "document", "icon"];
  const refused = kinds.filter((kind) => isRefused({ ...own, kind }));
  expect(refused).toEqual(["image", "font", "media"]);
  expect(isRefused({ ...own, url: "https://cdn.example/a.png" })).toBe(false);
  expect(refusedBy({ policies: [], finalUrl })(own)).toBe(false);
});

test("a nonce makes no page refuse other files", () => {
  const key = (policy: string) => refusingAlike({ policies: [policy] });
  expect(key("script-src 'nonce-a1'; img-src 'self'")).toBe(key("script-src 'nonce-b2'; img-src 'self'"));
  expect(key("script-src 'nonce-a1'; img-src 'self'")).not.toBe(key("script-src 'nonce-a1'; img-src *"));
});
