import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { contextOf, usualVisitor } from "@web-tester/loader/browser/visitor";
import { type BrowserLoading, startBrowserLoading } from "../support/browser-loading.js";
import { launchBrowser } from "../support/browser.js";
import { type Site, startSite } from "../support/site.js";

/** Pages are drawn tiny while no picture is taken, which is cheaper: their scripts must not notice, and a picture taken later must be whole. */
let site: Site;
let loading: BrowserLoading;

/** A page that writes down what a script can learn of its window, once it has seen a few frames. */
const curious = `<!doctype html><title>Curious</title>
<style>body { margin: 0; height: 4000px; background: #000 } div { position: absolute; width: 50vw; height: 40px } @media (max-width: 1000px) { #a { left: 7px } }</style>
<div id="a" style="top: 100px"></div><div id="b" style="top: 870px"></div><div id="c" style="top: 990px"></div>
<pre id="found"></pre><script>
  const seen = {};
  for (const one of document.querySelectorAll("div"))
    new IntersectionObserver(([entry]) => { seen[one.id] = [entry.isIntersecting, entry.rootBounds.toJSON(), entry.boundingClientRect.toJSON()]; }).observe(one);
  const sized = {};
  new ResizeObserver(([entry]) => { sized.a = [entry.contentRect.toJSON(), entry.devicePixelContentBoxSize[0].inlineSize]; }).observe(a, { box: "device-pixel-content-box" });
  let frames = 0;
  requestAnimationFrame(function next() {
    if ((frames += 1) < 5) return requestAnimationFrame(next);
    document.querySelector("#found").textContent = JSON.stringify({
      inner: [innerWidth, innerHeight], ratio: devicePixelRatio, screen: [screen.width, screen.height, screen.availWidth, screen.colorDepth],
      visual: [visualViewport.width, visualViewport.height, visualViewport.scale, visualViewport.offsetTop],
      media: ["(width: 1280px)", "(height: 900px)", "(resolution: 1dppx)", "(prefers-reduced-motion)"].map((query) => matchMedia(query).matches),
      boxes: [...document.querySelectorAll("div")].map((one) => one.getBoundingClientRect().toJSON()),
      at: document.elementFromPoint(10, 110)?.id, shown: document.visibilityState, focus: document.hasFocus(), seen, sized,
    });
  });
</script>`;

beforeAll(async () => {
  site = await startSite({ "/curious": curious });
  loading = startBrowserLoading();
}, 60_000);
afterAll(async () => {
  await loading?.close();
  await site?.close();
});

const foundIn = (html: string): unknown => JSON.parse(/<pre id="found">(.*?)<\/pre>/s.exec(html)?.[1] ?? "null");

test("a page finds the window that it would find in a browser that somebody looks at", async () => {
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext(contextOf(usualVisitor, "test"));
    const page = await context.newPage();
    await page.goto(`${site.url}curious`);
    await page.waitForFunction("document.querySelector('#found').textContent !== ''");
    const result = await loading.load(`${site.url}curious`);
    expect(result.kind === "page" && foundIn(result.body.toString())).toEqual(foundIn(await page.content()));
  } finally {
    await browser.close();
  }
});

test("a picture of a page is as large as the page all the same", async () => {
  const grant = { consent: null, maxBytes: 1, onOverBudget: () => undefined, enter: async () => () => undefined };
  const { signal } = new AbortController();
  const use = { owner: "pictures", grant, deadlineMs: 20_000, signal };
  const seen = await loading.pool.withPage(use, async ({ page }) => {
    await page.setContent("<body style='margin: 0; background: #000; height: 900px'>");
    const picture = (await page.screenshot({ type: "png" })).toString("base64");
    return page.evaluate<number[]>(`(async () => {
      const image = await createImageBitmap(await (await fetch("data:image/png;base64,${picture}")).blob());
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      const { data } = canvas.getImageData(0, 0, image.width, image.height);
      let black = 0;
      for (let at = 0; at < data.length; at += 4) black += data[at] === 0 && data[at + 3] === 255 ? 1 : 0;
      return [image.width, image.height, black];
    })()`);
  });
  expect(seen).toEqual([1280, 900, 1280 * 900]);
});
