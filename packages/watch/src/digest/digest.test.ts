import { describe, expect, test } from "@jest/globals";
import type { Digest, DigestSection, ToldPage, ToldPages } from "@web-tester/contracts/entities/digest";
import fc from "fast-check";
import { toAtom } from "./atom.js";
import { oneLine } from "./clean.js";
import { toHtml, toText } from "./mail.js";
import { toDiscord, toMattermost, toNtfy, toSlack, toTeams, toTelegram, toWebhook } from "./posts.js";
import { listed, sentence, subject } from "./sentence.js";
import { checkTemplate, fromTemplate } from "./template.js";

const id = "0198f7d2-0000-7000-8000-000000000001";
const page = (path: string, said = ""): ToldPage => ({
  path,
  url: `http://a.test${path}`,
  link: "http://here/diff",
  said,
});
const pages = (...all: ToldPage[]): ToldPages => ({ total: all.length, pages: all });
const section = (some: Partial<DigestSection> = {}): DigestSection => ({
  object: { id, name: "The shop", url: "http://a.test/", link: "http://here/objects/1" },
  run: { id, link: "http://here/runs/1/review", kind: "snapshot-all", finished_at: "2026-11-24T00:00:00Z" },
  ...{ changed: 0, groups_total: 0, groups: [], strange: [], notes: [] },
  ...{ new: pages(), gone: pages(), moved: pages(), unlinked: pages(), failing: pages(), recovered: pages() },
  ...some,
});
test("joined emoji and letters stay joined in a message, and no soft hyphen parts a word", () => {
  const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
  const said = `${family} Donau\u00addampf \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645`;
  expect(oneLine(`${said} \u202eend`, 200)).toBe(`${said.replace("\u00ad", "")} end`);
  expect(oneLine(family + family, 4)).toBe("\u{1f468}…");
});

const digest = (...sections: DigestSection[]): Digest => ({ id, time: "2026-11-24T00:00:00Z", sections });

test.each<[Partial<DigestSection>, string]>([
  [{}, "Nothing changed"],
  [{ changed: 1, groups_total: 1 }, "1 page changed"],
  [
    { changed: 12, groups_total: 2, new: pages(page("/a")), failing: pages(page("/shop", "503, since 09:10")) },
    "12 pages changed in 2 groups, /a new, /shop fails (503, since 09:10)",
  ],
  [{ gone: pages(page("/a"), page("/b")), recovered: pages(page("/c")) }, "2 gone, /c is back"],
  [{ strange: ["Nothing changed under /news/ for 3 d"] }, "Nothing changed under /news/ for 3 d"],
  [
    { changed: 6, groups_total: 6, strange: ["More changes than usual"], notes: ["Ended"] },
    "6 pages changed in 6 groups. More changes than usual. Ended",
  ],
  [{ notes: ["Ended"] }, "Nothing changed. Ended"],
  [{ notes: ["Ended"], leaves_out: true }, "Ended"],
  [{ changed: 10_412, groups_total: 1 }, "10,412 pages changed in 1 group"],
])("what a person would say of %j", (some, words) => {
  expect(sentence(section(some))).toBe(words);
});

const hostile = fc.oneof(
  fc.constantFrom(
    "<script>alert(1)</script>",
    "<!everyone> <@U1> <http://evil.test|click>",
    "@everyone @channel @all",
    "[click](http://evil.test)",
    "![x](http://evil.test/x.png)",
    '"><img src=x onerror=alert(1)>',
    "‮evil ‏ ​",
    "a\r\nBcc: all@evil.test\r\n\r\n",
    "\uFFFE none \uFFFF \u{1FFFE}",
    "x".repeat(300_000),
    "😀".repeat(9_000),
    `a${"😀".repeat(9_000)}`,
    "\uffff\ufffe",
    '", "admin": true, "x": "',
  ),
  fc.string({ unit: "binary", maxLength: 80 }),
);
const hostilePage = fc.record({
  path: hostile,
  url: hostile,
  said: hostile,
  link: fc.oneof(hostile, fc.constant("javascript:alert(1)")),
});
const hostilePages = fc.array(hostilePage, { maxLength: 20 }).map((all) => ({ total: all.length * 9, pages: all }));
const hostileDigest: fc.Arbitrary<Digest> = fc
  .array(
    fc.record({
      name: hostile,
      changed: fc.nat(),
      groups: fc.array(fc.record({ pages: fc.nat(), removed: hostile, added: hostile, sample: hostilePage }), {
        maxLength: 20,
      }),
      some: hostilePages,
      notes: fc.array(hostile, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) =>
    digest(
      ...all.map(({ name, changed, groups, some, notes }) =>
        section({
          object: { id, name, url: "http://a.test/", link: "http://here/objects/1" },
          ...{ changed, groups, groups_total: groups.length * 3, notes, new: some, failing: some },
        }),
      ),
    ),
  );

describe("whatever pages say", () => {
  const property = (check: (of: Digest) => void) =>
    fc.assert(fc.property(hostileDigest, check), { numRuns: 150, verbose: 0 });

  test("messages are bounded", () => {
    property((of) => {
      for (const text of [toHtml(of), toText(of), toWebhook(of).body])
        expect(Buffer.byteLength(text)).toBeLessThan(60_000);
      expect(toHtml(of).length).toBeLessThan(30_000);
      expect(toText(of).length).toBeLessThan(30_000);
      expect(JSON.parse(toDiscord(of).body).content.length).toBeLessThanOrEqual(2_000);
      expect(JSON.parse(toSlack(of).body).blocks[0].text.text.length).toBeLessThanOrEqual(3_000);
      expect(JSON.parse(toTelegram(of, "1").body).text.length).toBeLessThanOrEqual(4_096);
      expect(Buffer.byteLength(toNtfy(of).body)).toBeLessThanOrEqual(4_096);
      expect(Buffer.byteLength(toTeams(of).body)).toBeLessThanOrEqual(28 * 1024);
      expect(JSON.parse(toMattermost(of).body).text.length).toBeLessThanOrEqual(16_383);
      expect(subject(of).length).toBeLessThanOrEqual(200);
    });
  });

  test("a mail has no element, no address and no line of theirs", () => {
    property((of) => {
      const html = toHtml(of);
      expect(
        html.replaceAll(/<\/?(?:html|head|meta|title|body|table|tr|td|a)(?: [^<>]*)?>|<!doctype html>/g, ""),
      ).not.toMatch(/[<>]/);
      expect(html).not.toMatch(/href="(?!https?:)/);
      expect(subject(of)).not.toMatch(/\p{Cc}|\p{Cf}/u);
      // no XML may contain these: a feed reader refuses the whole feed
      expect(html).not.toMatch(/\p{Noncharacter_Code_Point}/u);
      expect(toText(of)).not.toMatch(/^Bcc:/m);
    });
  });

  test("a program is told how many runs there are of which a message holds the first", () => {
    property((of) => {
      const { data } = JSON.parse(toWebhook(of).body);
      expect(data.sections_total).toBe(of.sections.length);
      expect(data.sections).toHaveLength(Math.min(of.sections.length, 5));
    });
  });

  test("a feed is XML, and no text ends within a character", () => {
    // the characters that XML 1.0 §2.2 allows; half a surrogate pair is in no text that a service has to accept
    const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
    property((of) => {
      const entries = of.sections.map((one) => ({ id, section: one, time: new Date(0) }));
      const feed = {
        id,
        title: of.sections[0]?.object.name ?? "",
        link: "http://here/",
        created: new Date(0),
        entries,
      };
      expect(toAtom(feed)).not.toMatch(forbidden);
      const texts = [toHtml(of), toText(of), subject(of), sentence(of.sections[0] ?? section())];
      const posts = [toSlack(of), toDiscord(of), toTelegram(of, "1"), toNtfy(of), toTeams(of), toMattermost(of)];
      for (const text of [...texts, ...posts.map(({ body }) => body)]) {
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/\\u[dD][89a-fA-F]/);
      }
    });
  });

  test("no post mentions anybody, and none links where they say", () => {
    property((of) => {
      const slack = JSON.parse(toSlack(of).body).blocks[0].text.text as string;
      expect(slack.replaceAll(/<https?:[^|<>]*\|/g, "").replaceAll(/>(?=\*?(?:\n|$))/g, "")).not.toMatch(/[<>]/);
      for (const text of [JSON.parse(toDiscord(of).body).content, JSON.parse(toMattermost(of).body).text]) {
        expect(text).not.toMatch(/@(?:everyone|channel|all|here)/);
        expect(text).not.toMatch(/(?<!\\)\]\((?!<http)/);
      }
      expect(JSON.parse(toDiscord(of).body).allowed_mentions).toEqual({ parse: [] });
      const telegram = JSON.parse(toTelegram(of, "1").body).text as string;
      expect(telegram.replaceAll(/<a href="https?:[^"<>]*">|<\/a>|<\/?b>/g, "")).not.toMatch(/[<>]/);
      expect(toNtfy(of).headers["title"]).toMatch(/^=\?UTF-8\?B\?[A-Za-z0-9+/=]*\?=$/);
      expect(JSON.parse(toTeams(of).body).type).toBe("message");
    });
  });

  test("a template in JSON stays that JSON", () => {
    const template = '{"text": "{{sentence}}", "where": ["{{object}}", "{{ text }}"], "n": {{changed}}}';
    property((of) => {
      expect(Object.keys(JSON.parse(fromTemplate(template, of).body))).toEqual(["text", "where", "n"]);
    });
  });
});

test("a footer that changed on 500 pages is one short message", () => {
  const all = Array.from({ length: 20 }, (_, index) => page(`/p${index}`));
  const [sample = page("/p0")] = all;
  const of = digest(
    section({ changed: 500, groups_total: 1, groups: [{ pages: 500, removed: "© 2025", added: "© 2026", sample }] }),
  );
  expect(subject(of)).toBe("The shop: 500 pages changed in 1 group");
  expect(toText(of)).toContain("* 500 pages, such as /p0");
  expect(toHtml(of).length).toBeLessThan(3_000);
});

test("a part that moved is no change of words, and the first change of a rewritten page not its only one", () => {
  const group = (kind?: "moved" | "rewritten") => ({
    pages: 2,
    kind,
    removed: "one",
    added: "two",
    sample: page("/p"),
  });
  const text = (kind?: "moved" | "rewritten") =>
    toText(digest(section({ changed: 2, groups_total: 1, groups: [group(kind)] })));
  expect(text("moved")).toMatch(/\* 2 pages, such as \/p \(moved, with the same content\)\n.*\n {2}two$/);
  expect(text("rewritten")).toMatch(
    /\(rewritten: more than 50 changes on each page; the first of one of them\)\n.*\n {2}- one\n {2}\+ two$/,
  );
  expect(text()).toMatch(/such as \/p\n.*\n {2}- one\n {2}\+ two$/);
});

test("of a part whose code begins with a screenful of tags, its words are told", () => {
  const told = (removed: string, added: string) => {
    const group = { pages: 1, removed, added, words: "Ships in the ice", sample: page("/p") };
    return toText(digest(section({ changed: 1, groups_total: 1, groups: [group] })));
  };
  expect(told("", "<article><header>")).toMatch(/\n {2}\+ Ships in the ice$/);
  expect(told("<article><header>", "")).toMatch(/\n {2}- Ships in the ice$/);
});

test("a service that takes little is given the beginning, and is told that there is more", () => {
  const long = digest(section({ new: pages(...Array.from({ length: 5 }, () => page(`/${"ä".repeat(190)}`))) }));
  const many = { ...long, sections: Array.from({ length: 10 }, () => long.sections[0] ?? section()) };
  for (const text of [JSON.parse(toDiscord(many).body).content as string, toNtfy(many).body]) {
    expect(text).toMatch(/The shop/);
    expect(text).toMatch(/\n…$/);
  }
  expect(toNtfy(digest(section())).body).not.toContain("…");
});

test("a template that names what is not there is refused in words", () => {
  expect(checkTemplate('{"text": "{{sentence}}"}')).toBeNull();
  expect(checkTemplate("{{nobody}}")).toMatch(/no {{nobody}}; there are {{id}}/);
  expect(checkTemplate(" ")).toMatch(/says what is sent/);
  for (const name of ["constructor", "__proto__", "toString", "valueOf"])
    expect(checkTemplate(`{{${name}}}`)).toMatch(/^There is no /);
});

test("a name that every object has is no placeholder in a channel of an earlier version either", () => {
  expect(fromTemplate("a {{__proto__}}{{constructor}}{{toString}} b", digest(section())).body).toBe("a  b");
});

test("a template that begins with a placeholder is text, as it is written", () => {
  const of = digest(section({ object: { ...section().object, name: `Bob's "shop"` } }));
  const text = { body: 'Bob\'s "shop": now', headers: { "content-type": "text/plain; charset=utf-8" } };
  expect(fromTemplate("{{object}}: now", of)).toEqual(text);
  expect(fromTemplate(' {"text": "{{object}}"}', of)).toEqual({
    body: ' {"text": "Bob\'s \\"shop\\""}',
    headers: { "content-type": "application/json" },
  });
});

test("a name that turns the direction of text around does not turn a line of the list of messages", () => {
  const of = section({ changed: 1, object: { ...section().object, name: "Shop \u202e\u2066\n now" } });
  expect(listed([of])).toBe("Shop now: 1 page changed");
});

test("readers show the title of a feed as the test object is named", () => {
  const feed = toAtom({ id, title: "Bob's <b> & Co", link: "http://here/", created: new Date(0), entries: [] });
  // RFC 4287 §3.1.1.1: a title without a type is text, of which XML alone takes its escapes
  expect(feed).toContain("<title>Bob's &lt;b&gt; &amp; Co</title>");
});
