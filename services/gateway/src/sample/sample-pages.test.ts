import { expect, test } from "@jest/globals";
import { samplePage, sampleSitemap } from "./sample-pages.js";

const changing = ["/", "/teas/", "/teas/assam.html"];
const lasting = ["/about.html", "/delivery.html", "/contact.html", "/style.css", "/logo.svg"];

test.each(changing)("%s reads differently each time", (path) => {
  const bodies = [1, 2, 3].map((visit) => samplePage(path, visit).body);
  expect(new Set(bodies).size).toBe(3);
});

test.each(lasting)("%s stays as it is", (path) => expect(samplePage(path, 5)).toEqual(samplePage(path, 0)));

test("news come in one by one, and each has a page", () => {
  expect(samplePage("/news/", 0).body).not.toContain("/news/2.html");
  expect(samplePage("/news/", 1).body).toContain("/news/2.html");
  expect(samplePage("/news/2.html", 0)).toMatchObject({ status: 200 });
});

test("there is a redirect, and a page that is gone", () => {
  expect(samplePage("/shipping.html", 0)).toMatchObject({ status: 301, location: "/delivery.html" });
  expect(samplePage("/lost.html", 0).status).toBe(404);
  expect(samplePage("/news/9.html", 0).status).toBe(404);
  expect(samplePage("/__proto__", 0).status).toBe(404);
});

test("every link of every page leads to an answer", () => {
  const seen = new Set<string>();
  const open = ["/"];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const { body, location } = samplePage(path, 9);
    for (const [, found] of body.matchAll(/(?:href|src)="(\/[^"]*)"/g)) open.push(found ?? "/");
    if (location !== undefined) open.push(location);
  }
  expect([...seen].filter((path) => samplePage(path, 0).status === 404)).toEqual(["/lost.html"]);
});

test("the sitemap names absolute addresses", () => {
  const { body } = sampleSitemap("http://127.0.0.1:4000");
  expect(body).toContain("<loc>http://127.0.0.1:4000/teas/assam.html</loc>");
});
