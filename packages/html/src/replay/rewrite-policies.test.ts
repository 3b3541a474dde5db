import { expect, test } from "@jest/globals";
import type { ReplayContext } from "./replay-context.js";
import { rewriteForReplay } from "./rewrite-for-replay.js";

/** A lookup in which every asset is stored, under its path. */
const stored: ReplayContext = {
  baseUrl: "https://site.test/dir/page.html",
  noscript: "show",
  address: (url) => `/stored${new URL(url).pathname}`,
  document: () => ({ html: "<!doctype html><p>framed<img src=in.png>", baseUrl: "https://site.test/frames/f.html" }),
  sprite: () => null,
};

test.each([
  [`<style>p{color:red}</style><p style="color:red">`, `<style></style><p>`],
  [
    `<meta http-equiv=Content-Security-Policy content="style-src 'unsafe-inline'"><style nonce=abc>b{}</style>`,
    `<meta><style>b{}</style>`,
  ],
  [`<iframe srcdoc="<p style=color:red>"></iframe>`, `<iframe sandbox srcdoc="&lt;p&gt;"></iframe>`],
  [
    `<iframe srcdoc="<!doctype html><style nonce=abc>b{}</style>"></iframe>`,
    `<iframe sandbox srcdoc="&lt;!doctype html&gt;&lt;style&gt;b{}&lt;/style&gt;"></iframe>`,
  ],
])("styles that a policy of the site refuses are not shown: %s", (html, expected) => {
  const policies = ["style-src 'nonce-abc' https:"];
  expect(rewriteForReplay(html, { ...stored, policies })).toBe(expected);
  expect(rewriteForReplay(`${html}<p style="color:red">`, stored)).toContain(`color:red">`);
});

test.each([
  [`<img src=https://a.test/a.png>`, `<img src="data:,">`, `<img src="/stored/a.png">`],
  [`<img src=/a.png>`, `<img src="/stored/a.png">`, `<img src="/stored/a.png">`],
  [
    `<link rel=stylesheet href=/a.css nonce=abc>`,
    `<link rel="stylesheet" href="/stored/a.css">`,
    `<link rel="stylesheet" href="/stored/a.css">`,
  ],
  [
    `<style nonce=abc>p{background:url(https://a.test/a.png)}</style>`,
    `<style>p{background:url("about:invalid")}</style>`,
    `<style>p{background:url("/stored/a.png")}</style>`,
  ],
  [
    `<iframe srcdoc="<img src=/b.png><img src=https://a.test/a.png>"></iframe>`,
    `<iframe sandbox srcdoc="&lt;img src=&quot;/stored/b.png&quot;&gt;&lt;img src=&quot;data:,&quot;&gt;"></iframe>`,
    `<iframe sandbox srcdoc="&lt;img src=&quot;/stored/b.png&quot;&gt;&lt;img src=&quot;/stored/a.png&quot;&gt;"></iframe>`,
  ],
])("files that a policy of the site refuses are not shown, however the page was loaded: %s", (html, expected, all) => {
  const policies = ["style-src 'nonce-abc'; img-src 'self'"];
  for (const noscript of ["show", "hide"] as const)
    expect(rewriteForReplay(html, { ...stored, noscript, policies })).toBe(expected);
  expect(rewriteForReplay(html, stored)).toBe(all);
});

test("a text in the page has the policies of the page, nonces included", () => {
  const policies = ["style-src 'nonce-abc'"];
  const html = `<iframe srcdoc="<link rel=stylesheet href=/a.css nonce=abc><link rel=stylesheet href=/b.css>"></iframe>`;
  const shown = rewriteForReplay(html, { ...stored, policies });
  expect([shown.includes("/stored/a.css"), shown.includes("/stored/b.css")]).toEqual([true, false]);
});

test("a style sheet without the nonce is not shown where nonces are known, which are not in a page that a browser loaded", () => {
  const link = "<link rel=stylesheet href=/a.css>";
  const show = (noscript: "show" | "hide", sources: string) =>
    rewriteForReplay(link, { ...stored, noscript, policies: [`style-src ${sources}`] });
  expect([show("show", "'nonce-abc'"), show("hide", "'none'"), show("hide", "'nonce-abc'")]).toEqual([
    `<link rel="stylesheet">`,
    `<link rel="stylesheet">`,
    `<link rel="stylesheet" href="/stored/a.css">`,
  ]);
});

test("a frame has its own site's policies, and frames that a policy refuses are empty", () => {
  const frame = `<iframe src=https://a.test/frame></iframe>`;
  const show = (policy: string) => rewriteForReplay(frame, { ...stored, policies: [policy] });
  expect(show("img-src 'none'")).toContain("/stored/frames/in.png");
  expect(show("frame-src 'self'")).toBe(`<iframe sandbox></iframe>`);
});

test("what a browser drew is shown as data, whatever the site's policies say about data", () => {
  const policies = ["img-src 'self'; style-src 'none'"];
  const html = `<img src="data:image/png,x"><p style="color:red">`;
  expect(rewriteForReplay(html, { ...stored, noscript: "hide", policies })).toBe(html);
  expect(rewriteForReplay(html, { ...stored, policies })).toBe(`<img src="data:,"><p>`);
});

test("a policy that stands in a page holds from there on, where the page is as its server sent it", () => {
  const html = `<p style="a:b"><meta http-equiv=content-security-policy content="style-src 'self'"><p style="a:b">`;
  expect(rewriteForReplay(html, { ...stored, policies: [] })).toBe(`<p style="a:b"><meta><p>`);
  expect(rewriteForReplay(html, stored)).toBe(`<p style="a:b"><meta><p style="a:b">`);
});
