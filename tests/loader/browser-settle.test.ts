import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ServerResponse } from "node:http";
import { createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { png } from "../support/asset-site.js";
import { type BrowserLoading, pageOf, startBrowserLoading } from "../support/browser-loading.js";
import { launchBrowser } from "../support/browser.js";
import { type Site, startSite } from "../support/site.js";

/** When a page counts as finished: what its scripts add late, or only when it comes into view, is in the snapshot. */
let site: Site;
let loading: BrowserLoading;

/** A page with sections a window apart, each of which is filled from the server, with a picture, once it comes into view. */
const lazy = `<!doctype html><title>Lazy</title><h1>Top</h1>
${Array.from({ length: 5 }, (_, index) => `<section id="s${index}" style="margin-top: 1000px; height: 100px"></section>`).join("\n")}
<script>
  const watch = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach(async ({ target }) => {
    watch.unobserve(target);
    target.innerHTML = await (await fetch("/part/" + target.id)).text();
  }));
  document.querySelectorAll("section").forEach((section) => watch.observe(section));
  addEventListener("scroll", () => document.documentElement.dataset.at = scrollY);
</script>`;
const sections = Array.from({ length: 5 }, (_, index) => `s${index}`);

/** A page that adds lines to its end whenever somebody scrolls there. */
const growing = `<!doctype html><title>Growing</title><main></main><script>
  const add = () => { for (let n = 0; n < 10; n += 1) document.querySelector("main").insertAdjacentHTML("beforeend", "<p style='height: 200px'>line</p>"); };
  add();
  addEventListener("scroll", () => { if (scrollY + innerHeight >= document.documentElement.scrollHeight - 10) fetch("/part/more").then(add); });
</script>`;

const short = `<!doctype html><title>Short</title><p>Words</p><script>
  document.documentElement.dataset.scrolls = 0;
  addEventListener("scroll", () => document.documentElement.dataset.scrolls = 1);
</script>`;

/** A page whose document contains no script any more when it has loaded, although timers still run. */
const vanishing = `<!doctype html><title>Vanishing</title><p>before</p><script>
  const own = document.currentScript;
  setTimeout(() => {
    const second = document.createElement("script");
    second.textContent = "setTimeout(() => { document.querySelector('p').textContent = 'after'; }, 250)";
    document.head.append(second);
    second.remove();
  }, 250);
  own.remove();
</script>`;
const handler = `<!doctype html><title>Handler</title><p>before</p><img src="/gone.png" onerror="this.remove(); setTimeout(() => { document.querySelector('p').textContent = 'after'; }, 250)">`;
const still = `<!doctype html><title>Still</title><p>before</p>${"<p>Words</p>".repeat(200)}`;

beforeAll(async () => {
  site = await startSite({ "/lazy": lazy, "/growing": growing, "/short": short, "/still": still });
  site.pages.set("/vanishing", vanishing);
  site.pages.set("/handler", handler);
  for (const name of [...sections, "more"]) {
    site.pages.set(`/part/${name}`, `<b>Part ${name}</b><img src="/picture/${name}.png">`);
    site.pages.set(
      `/picture/${name}.png`,
      (_request, response) => void response.writeHead(200, { "content-type": "image/png" }).end(png(5, 5, 1)),
    );
  }
  loading = startBrowserLoading();
}, 60_000);
afterAll(async () => {
  await loading?.close();
  await site?.close();
});

async function load(path: string) {
  const resources: string[] = [];
  const result = pageOf(
    await loading.load(new URL(path, site.url).href, {
      onResource: async ({ url, body }) => {
        if (body !== null) resources.push(new URL(url).pathname);
      },
    }),
  );
  return { html: result.body.toString(), warning: result.warning, ms: result.timings.totalMs, resources };
}

/** Returns a page's HTML at its load event, as a fetch would keep it that waits no longer than that. */
async function hasty(path: string): Promise<string> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.addInitScript(() =>
      addEventListener("load", () => Object.assign(globalThis, { atLoad: document.documentElement.outerHTML })),
    );
    await page.goto(new URL(path, site.url).href, { waitUntil: "load" });
    return await page.evaluate<string>("atLoad");
  } finally {
    await browser.close();
  }
}

describe("what is loaded only when it is about to be seen", () => {
  test("is there, with its pictures, and the page is back at its top", async () => {
    expect(await hasty("/lazy")).not.toContain("Part s4");
    const { html, warning, resources } = await load("/lazy");
    expect(sections.filter((name) => !html.includes(`<b>Part ${name}</b>`))).toEqual([]);
    expect(resources.filter((path) => path.startsWith("/picture/")).toSorted()).toEqual(
      sections.map((name) => `/picture/${name}.png`),
    );
    expect(html).toContain('data-at="0"');
    expect(warning).toBeNull();
  });

  test("is there in a page that its scripts make only after it has loaded", async () => {
    const late = `<!doctype html><title>Late</title><main></main><script>
      addEventListener("load", async () => {
        document.querySelector("main").innerHTML = await (await fetch("/part/sections")).text();
        for (const section of document.querySelectorAll("section"))
          new IntersectionObserver(async ([{ isIntersecting }], watch) => {
            if (!isIntersecting) return;
            watch.disconnect();
            section.innerHTML = await (await fetch("/part/" + section.id)).text();
          }).observe(section);
      });
    </script>`;
    site.pages.set("/late", late);
    site.pages.set("/part/sections", (_request, response) => {
      const html = sections.map((id) => `<section id="${id}" style="margin-top: 1000px; height: 100px"></section>`);
      setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(html.join("")), 100);
    });
    expect(await hasty("/late")).not.toContain("<section");
    const { html } = await load("/late");
    expect(sections.filter((name) => !html.includes(`<b>Part ${name}</b>`))).toEqual([]);
  });

  test("ends where there is ever more", async () => {
    const { html, warning } = await load("/growing");
    const lines = html.split("<p ").length - 1;
    // scrolled, but not endlessly: 20 windows of 900 px are 90 lines, and each end that is reached adds 10
    expect(lines).toBeGreaterThan(50);
    expect(lines).toBeLessThanOrEqual(150);
    expect(warning).toBeNull();
  });

  test("is not looked for in a page that is no taller than the window, nor in one without scripts", async () => {
    expect((await load("/short")).html).toContain('data-scrolls="0"');
    site.requests.length = 0;
    expect((await load("/still")).html).toContain("before");
    expect(site.requests.filter((path) => path !== "/favicon.ico")).toEqual(["/still"]);
  });
});

test("what scripts have the browser load beforehand is not kept, as it hangs on the moment; what the page asks for itself and what became a style is", async () => {
  site.pages.set(
    "/hints",
    `<!doctype html><title>Hints</title><link rel="preload" href="/a.css" as="style"><p>Words</p><script>
      const add = (rel, href, more) => document.head.append(Object.assign(document.createElement("link"), { rel, href, ...more }));
      addEventListener("DOMContentLoaded", () => {
        for (const rel of ["prefetch", "modulepreload", "dns-prefetch"]) add(rel, "/late-" + rel);
        add("preload", "/turned.css", { as: "style", onload() { this.rel = "stylesheet"; } });
      });
    </script>`,
  );
  const css = (_request: unknown, response: ServerResponse) =>
    void response.writeHead(200, { "content-type": "text/css" }).end("p { color: red }");
  for (const path of ["/a.css", "/turned.css"]) site.pages.set(path, css);
  expect(await hasty("/hints")).toContain("/late-prefetch");
  const { html } = await load("/hints");
  expect(html).toContain('<link rel="preload" href="/a.css" as="style">');
  expect(html).toContain('<link rel="stylesheet" href="/turned.css" as="style">');
  expect(html).not.toMatch(/\/late-\w/);
});

test("addresses of blobs, which are others each time, are not kept; what a frame shows of one is", async () => {
  site.pages.set(
    "/blobs",
    `<!doctype html><title>Blobs</title><video></video><a>Save</a><a href="/page">Page</a><iframe></iframe><script>
      const blob = (text, type) => URL.createObjectURL(new Blob([text], { type }));
      document.querySelector("video").src = blob("film", "video/mp4");
      document.querySelector("a").href = blob("words", "text/plain");
      document.querySelector("iframe").src = blob("<p>Of a blob</p>", "text/html");
    </script>`,
  );
  expect(await hasty("/blobs")).toMatch(/<video src="blob:.*<a href="blob:.*<iframe src="blob:/);
  const { html } = await load("/blobs");
  expect(html).toMatch(
    /<video><\/video><a>Save<\/a><a href="\/page">Page<\/a><iframe srcdoc="[^"]*Of a blob[^"]*"><\/iframe>/,
  );
});

test("addresses of blobs in styles and numbers that Lit draws by lot are not kept", async () => {
  site.pages.set(
    "/moments",
    `<!doctype html><title>Moments</title><div></div><svg><image></image></svg><p></p><script>
      const address = URL.createObjectURL(new Blob(["<svg xmlns='http://www.w3.org/2000/svg'/>"], { type: "image/svg+xml" }));
      document.querySelector("div").style.background = "url(" + address + ") red";
      document.querySelector("image").setAttribute("href", address);
      document.head.append(Object.assign(document.createElement("style"), { textContent: "p { background: url(" + address + ") }" }));
      document.querySelector("p").append(document.createComment("?lit$" + Math.random().toFixed(9).slice(2) + "$"), "words");
    </script>`,
  );
  expect(await hasty("/moments")).toMatch(/url\(blob:.*style="[^"]*blob:.*href="blob:.*<!--\?lit\$\d{9}\$-->/s);
  const { html } = await load("/moments");
  expect(html.slice(0, html.indexOf("<script>"))).not.toContain("blob:");
  expect(html).toContain("<p><!--?lit$-->words</p>");
  expect((await load("/moments")).html).toBe(html);
});

test("pictures in blobs that styles, posters and drawings show are kept as they are", async () => {
  site.pages.set(
    "/pictures",
    `<!doctype html><title>Pictures</title><style>div, i { width: 9px; height: 9px; display: block }</style><div></div><i></i><svg><image width="9" height="9"></image></svg><video></video><b></b><script>
      const address = (color) => URL.createObjectURL(new Blob(["<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9' fill='" + color + "'/></svg>"], { type: "image/svg+xml" }));
      document.querySelector("div").style.background = "url(" + address("red") + ")";
      document.querySelector("image").setAttribute("href", address("lime"));
      document.querySelector("video").poster = address("blue");
      document.head.append(Object.assign(document.createElement("style"), { textContent: "i { background: url('" + address("gold") + "') }" }));
      const over = address("gray");
      document.querySelector("b").style.background = "url(" + over + ")";
      URL.revokeObjectURL(over);
    </script>`,
  );
  const { html } = await load("/pictures");
  const colors = Array.from(html.matchAll(/data:image\/svg\+xml;base64,([\w+/=]+)/g), ([, data = ""]) =>
    /fill='(\w+)'/.exec(Buffer.from(data, "base64").toString())?.at(1),
  );
  expect(colors).toEqual(["gold", "red", "lime", "blue"]);
  expect(html).toContain(`<b style="background: none;"></b>`);
  expect((await load("/pictures")).html).toBe(html);
});

test("XHTML is kept as the HTML that says the same", async () => {
  site.pages.set("/xhtml", (_request, response) =>
    response.writeHead(200, { "content-type": "application/xhtml+xml" }).end(
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title><style><![CDATA[p > b { color: red }]]></style><style>p &gt; i { color: red }</style></head>
       <body><div/><p>a<br/>b</p><script>//<![CDATA[
         document.querySelector("p").append(" < c");
       //]]></script></body></html>`,
    ),
  );
  expect(await hasty("/xhtml")).toMatch(/<style><!\[CDATA\[.*<style>p &gt; i/s);
  const { html } = await load("/xhtml");
  expect(html).toMatch(/^<!DOCTYPE html>\n<html.*<style>p > b \{ color: red \}<\/style><style>p > i \{/s);
  expect(html).toContain("<div></div><p>a<br>b &lt; c</p>");
});

test.each(["/vanishing", "/handler"])("a script that took itself out is waited for: %s", async (path) => {
  const early = await hasty(path);
  expect(early).toContain("before");
  expect(early.slice(early.indexOf("</title>"))).not.toMatch(/<script|onerror/);
  const { html, warning } = await load(path);
  expect(html).toContain("<p>after</p>");
  expect(warning).toBeNull();
});

test("a drawing that nobody can read is said, and one that can be read is kept", async () => {
  const other = await startSite({
    "/photo.png": (_request, response) =>
      void response.writeHead(200, { "content-type": "image/png" }).end(png(9, 9, 0xaa0000)),
  });
  const allowing = startBrowserLoading({
    policy: createAddressPolicy({ private: "own-host", allow: ["127.0.0.1"], ownAddresses: [] }),
  });
  const drawing = (
    address: string,
  ) => `<!doctype html><title>Drawing</title><canvas width="20" height="20"></canvas><script>
    const image = new Image();
    image.onload = () => document.querySelector("canvas").getContext("2d").drawImage(image, 0, 0);
    image.src = ${JSON.stringify(address)};
  </script>`;
  try {
    site.pages.set("/foreign", drawing(`${other.url}photo.png`));
    site.pages.set("/own", drawing("/picture/s0.png"));
    const [foreign, own] = await Promise.all(["foreign", "own"].map((path) => allowing.load(site.url + path)));
    expect(foreign).toMatchObject({ kind: "page", warning: expect.stringContaining("shows pictures of other sites") });
    expect(own).toMatchObject({ kind: "page", warning: null });
    expect(own?.kind === "page" ? own.body.toString() : "").toContain("data:image/png");
  } finally {
    await allowing.close();
    await other.close();
  }
});
