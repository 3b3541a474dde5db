import { describe, expect, test } from "@jest/globals";
import { scriptSignature } from "./script-signature.js";
import { scriptsDrew } from "./scripts-drew.js";

const prose = `<p>${"A sentence that a reader came for. ".repeat(100)}</p>`;

const inLinks = (href: string, ...names: string[]) =>
  names.map((name) => `<a class=b href="${href}"><img src="${name}"></a>`).join("");
const inButtons = (...names: string[]) => names.map((name) => `<button class=b><img src="${name}"></button>`).join("");

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`).join(" ");

describe("what scripts made of a page", () => {
  test.each([
    ["nothing", prose, prose, false, ""],
    ["one word of many", prose, `${prose}<b>12.99</b>`, false, "12.99"],
    ["a word of few", "<h1>Before</h1>", "<h1>Before</h1><h2>Shown</h2>", true, "Shown"],
    ["marks to fold parts by", "<h1>Two words</h1>", "<h1>[−] Two ▾ words ¶</h1><p>| + ×", false, ""],
    ["stars", "<h1>Two words</h1>", "<h1>Two words</h1><p>★★★☆☆", true, "★★★☆☆"],
    ["prices without digits", "<h1>Two words</h1>", "<h1>Two words</h1><p>€", true, "€"],
    ["letters of other scripts", "<h1>Two words</h1>", "<h1>Two words</h1><p>価格", true, "価格"],
    ["numbers", "<h1>Two words</h1>", "<h1>Two words</h1><p>−12", true, "−12"],
    ["a paragraph", prose, `${prose}<p>${numbers(20)}</p>`, true, numbers(20)],
    ["one less", prose, `${prose}<p>${numbers(19)}</p>`, false, numbers(19)],
    ["a paragraph away", `${prose}<p>${numbers(20)}</p>`, prose, true, ""],
    ["the same button beside each part", prose, `${prose}${"<button>Copy</button>".repeat(20)}`, false, "Copy"],
    ["as many as make up a part of it", prose, `${prose}${"<button>Copy</button>".repeat(40)}`, true, "Copy"],
    ["all of it away", prose, "<p></p>", true, ""],
    ["a shadow", "<x-a></x-a>", `<x-a><template shadowrootmode="open"><p>In it</p></template></x-a>`, true, "In it"],
    ["a picture", "<canvas></canvas>", `<img src="data:image/png;base64,AA">`, true, ""],
    ["a picture in an element that waited for it", "<img id=a>", `<img id="a" src="blob:a">`, true, ""],
    ["an address that waited in data", `<img data-src="/a">`, `<img data-src="/a" src="/a">`, false, ""],
    ["an element that stays empty", `${prose}<img id=a src="">`, `${prose}<img id="a">`, false, ""],
    ["a picture that counts visits", prose, `${prose}<img width="1" height="1" src="/count">`, false, ""],
    [
      "a sign in the button beside each part",
      prose,
      prose + `<button><img src="copy.svg"></button>`.repeat(9),
      false,
      "",
    ],
    ["two signs in buttons", prose, `${prose}${inButtons("back.svg", "next.svg")}`, false, ""],
    ["pictures in buttons", prose, `${prose}${inButtons("a.jpg", "b.jpg", "c.jpg")}`, true, ""],
    ["a sign to link to each part", prose, `${prose}${inLinks("#a", "link.svg", "link.svg", "link.svg")}`, false, ""],
    ["pictures in links to parts", prose, `${prose}${inLinks("#a", "a.jpg", "b.jpg")}`, true, ""],
    ["pictures in links to pages", prose, `${prose}${inLinks("b.html#a", "link.svg", "link.svg")}`, true, ""],
    ["a picture beside a button", prose, `${prose}${inButtons("copy.svg")}<img src="a.jpg">`, true, ""],
    ["what a field holds", "<input>", `<input value="42">`, true, ""],
    ["a field that holds nothing", "<p>One two", `<p>One two<input type=search value="">`, false, ""],
    ["a hint in a field, written anew", `<input value="search">`, `<input value="Search">`, false, ""],
    ["fields that stay", `<input value=1>`, `<input value="1">`, false, ""],
    ["a frame", `<iframe src="/a"></iframe>`, `<iframe src="/a" srcdoc="<p>drawn"></iframe>`, true, ""],
    ["a template", "<p>one</p>", "<p>one</p><template><p>In it</p></template>", false, ""],
  ])("%s", (_, source, drawn, isMuch, added) =>
    expect(scriptsDrew(source, drawn)).toMatchObject({
      isMuch,
      added: added.length > 80 ? `${added.slice(0, 80)}…` : added,
    }),
  );
});

describe("the signature of a page's scripts", () => {
  const of = (html: string, pageUrl = "http://site.test/docs/page.html") => scriptSignature(html, pageUrl);
  test.each([
    ["no script", prose],
    ["a frame of another site", `<iframe src="https://video.test/a"></iframe>`],
    ["data", `<script type="application/ld+json">{"a": 1}</script>${prose}`],
    ["a map of modules", `<script type="importmap">{}</script>`],
    ["a script in a comment", `<!-- <script src=a.js></script> -->${prose}`],
    ["a script in a field", `<textarea><script src=a.js></script></textarea>`],
    ["what an attribute says", `<p title="<script src=a.js></script>">one</p>`],
    ["a script that names values alone", `<script>var a = "x"; let b = [];\nconst c=-1.5;</script>${prose}`],
    ["words that look like handlers", `<p title=one>Set onload = 1 there</p>`],
  ])("there is none of %s", (_, html) => expect(of(html)).toBe(null));

  test.each([
    ["behind a comment", `<!-- one --><script src=a.js></script>`],
    ["behind a drawing's titles", `<svg><title/><style/></svg><script src=a.js></script>`],
    ["behind a style that never ends", `<style>p {}<script src=a.js></script>`],
    ["in a template", `<template><script src=a.js></script></template>`],
    ["in capitals", `<SCRIPT SRC=a.js></SCRIPT>`],
  ])("there is one of a script %s", (_, html) => expect(of(html)?.scripts).toBe("http://site.test/docs/a.js"));

  test.each([`<body onload="go()">`, `<img src="a.png"onerror=go()>`, `<p a=1 ONFOCUS = go()>`])(
    "a handler may run a script: %s",
    (html) => expect(of(html)?.scripts).toBe("handlers"),
  );

  test("frames of the site may have scripts of their own", () => {
    expect(of(`<iframe src="/inside"></iframe>`)).not.toBe(null);
    expect(of(`<iframe srcdoc="<p>1"></iframe>`)).not.toBe(null);
  });

  test.each([
    ["queries of addresses", `<script src="/a.js?v=1"></script>`, `<script src="/a.js?v=2"></script>`],
    [
      "values",
      `<script>start({ id: 12, name: "one" })</script>`,
      `<script>start({ id: 7,  name: "o't'her" })</script>`,
    ],
    [
      "order",
      `<script src=a.js></script><script src=b.js></script>`,
      `<script src=b.js></script><script src=a.js></script>`,
    ],
    ["words", `<script src=a.js></script><p>one</p>`, `<script src=a.js></script><p>other</p>`],
    [
      "how many values a list has",
      `<script>go(["a", 1], [ ])</script>`,
      `<script>go(["b", "c", 2, 3], ["d"])</script>`,
    ],
    [
      "how many entries of one form it has",
      `<script>go([{ id: 1, name: "a" }])</script>`,
      `<script>go([{ id: 1, name: "a" }, { id: 2, name: "b" },{ id: 3, name: "c" }])</script>`,
    ],
    [
      "how many values it names",
      `<script>var row = "even"; const size = 12; start();</script>`,
      `<script>start(); var other = "odd"</script>`,
    ],
    [
      "how often it does the same",
      `<script>stripe("a"); stripe("b");\nstart()</script>`,
      `<script>stripe("c"); start(); stripe("d");</script>`,
    ],
    [
      "ids of spans that have a class",
      `<script src=a.js></script><span class="target" id="index-0"></span>`,
      `<script src=a.js></script><span class="target" id="installing"></span>`,
    ],
    ["places that links lead to", `<script src=a.js></script>`, `<script src=a.js></script><span id="part-2"></span>`],
  ])("is the same for other %s", (_, one, other) => {
    expect(of(one)).not.toBe(null);
    expect(of(one)).toEqual(of(other));
  });

  test("is the same for pages at other depths that name the same scripts", () => {
    const high = of(`<script src="js/a.js"></script><iframe src="menu.html">`, "http://site.test/docs/");
    const deep = of(
      `<script src="../../js/a.js"></script><iframe src="/docs/menu.html">`,
      "http://site.test/docs/a/b/c",
    );
    expect(high).toEqual(deep);
    expect(of(`<script src="js/a.js"></script>`, "http://site.test/other/")).not.toEqual(
      of(`<script src="js/a.js"></script>`, "http://site.test/docs/"),
    );
    expect(of(`<script src="http://[no"></script>`)).toMatchObject({ scripts: "http://[no" });
  });

  test.each([
    ["scripts", `<script src=a.js></script>`, `<script src=b.js></script>`],
    ["switches", `<script>var prices = true; go()</script>`, `<script>var prices = false; go()</script>`],
    ["things that it names", `<script>var a = {}; go()</script>`, `<script>var a = 1; go()</script>`],
    ["things that it does", `<script>go(); stop()</script>`, `<script>go()</script>`],
    ["places to fill", `<script src=a.js></script>`, `<script src=a.js></script><div class="price"></div>`],
    [
      "classes of spans",
      `<script src=a.js></script><span class=a></span>`,
      `<script src=a.js></script><span class=b></span>`,
    ],
    [
      "ids of blocks",
      `<script src=a.js></script><div class=a id=x></div>`,
      `<script src=a.js></script><div class=a id=y></div>`,
    ],
    ["entries of another form", `<script>go([{ id: 1 }])</script>`, `<script>go([{ name: 1 }])</script>`],
    ["elements of their own", `<script src=a.js></script>`, `<script src=a.js></script><x-price></x-price>`],
  ])("is another one for other %s", (_, one, other) => expect(of(one)).not.toEqual(of(other)));

  test.each([
    ["lists", `<script>[${`{s,`.repeat(5_000)}${`1,`.repeat(5_000)}</script>`],
    ["quotes", `<script>${`'"`.repeat(200_000)}</script>`],
    ["empty elements", "<script>x</script>" + `<div class=a></div>`.repeat(50_000)],
    ["beginnings", "<script>x</script>" + "<div ".repeat(100_000)],
    ["styles that never end", "<script>x</script>" + "<style>".repeat(200_000)],
    ["blanks", `<script>x</script><div>${" ".repeat(1_000_000)}`],
  ])("survives %s", (_, html) => expect(of(html)).not.toBe(null));
});
