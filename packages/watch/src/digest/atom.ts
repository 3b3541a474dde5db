import type { DigestSection } from "@web-tester/contracts/entities/digest";
import { Feed } from "feed";
import { escapeHtml, oneLine, webLink } from "./clean.js";
import { outlineOf, type OutlineLine } from "./outline.js";
import { sentence } from "./sentence.js";

/** One entry: the findings of a run. */
interface AtomEntry {
  /** UUID of the run. */
  id: string;
  section: DigestSection;
  time: Date;
}

export interface AtomFeed {
  /** UUID that stays the same when the address changes. */
  id: string;
  title: string;
  /** Address of its screen. */
  link: string;
  /** Creation time: the update time of an empty feed. */
  created: Date;
  /** Newest first. */
  entries: readonly AtomEntry[];
}

const titleMax = 200;
const marks: Readonly<Record<OutlineLine["kind"], readonly [before: string, after: string]>> = {
  heading: ["<h2>", "</h2>"],
  said: ["<p>", "</p>"],
  group: ["<p><b>", "</b></p>"],
  removed: ["<pre>− ", "</pre>"],
  added: ["<pre>+ ", "</pre>"],
  label: ["<h3>", "</h3>"],
  page: ["<p>", "</p>"],
  more: ["<p><i>", "</i></p>"],
};

/**
 * Builds an Atom 1.0 document (RFC 4287). The library treats titles of entries as HTML, so they are escaped first, but the feed's own title
 * as text. The feed's own address is not included, because it is a secret.
 */
export function toAtom({ id, title, link, created, entries }: AtomFeed): string {
  const feed = new Feed({
    id: `urn:uuid:${id}`,
    title: oneLine(title, titleMax),
    link,
    updated: entries[0]?.time ?? created,
    generator: "Web-Tester",
    // RFC 4287 §4.1.1: a feed needs an author if its entries have none
    author: { name: "Web-Tester" },
    copyright: "",
  });
  for (const { id: runId, section, time } of entries)
    feed.addItem({
      id: `urn:uuid:${runId}`,
      title: escapeHtml(oneLine(`${section.object.name}: ${sentence(section)}`, titleMax)),
      link: webLink(section.run?.link ?? section.object.link) ?? link,
      date: time,
      content: contentOf(runId, section, time),
    });
  return feed.atom1();
}

function contentOf(id: string, section: DigestSection, time: Date): string {
  const lines = outlineOf({ id, time: time.toISOString(), sections: [section] });
  return lines
    .filter(({ kind }) => kind !== "heading")
    .map(({ kind, text, link }) => {
      const [before, after] = marks[kind];
      const words = escapeHtml(text);
      return `${before}${link === null ? words : `<a href="${escapeHtml(link)}">${words}</a>`}${after}`;
    })
    .join("\n");
}
