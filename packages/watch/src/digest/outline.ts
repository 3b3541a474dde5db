import type { Digest, DigestSection, ToldGroup, ToldPage, ToldPages } from "@web-tester/contracts/entities/digest";
import { oneLine, webLink } from "./clean.js";
import { sentence } from "./sentence.js";

/** A line of a message: text of pages is cleaned and shortened, links lead only to the web. */
export interface OutlineLine {
  kind: "heading" | "said" | "group" | "removed" | "added" | "label" | "page" | "more";
  text: string;
  link: string | null;
  /** For a group: the snapshot of its sample, for which a picture may exist. */
  snapshotId?: string | null;
}

/** The most runs whose findings a message shows; it counts the others. */
export const sectionsMax = 10;
const groupsMax = 10;
/** The most pages of a kind that a message names. */
export const pagesMax = 5;
const lineMax = 200;

/** Words for a group whose lines are not a change like others. */
const kindWords: Readonly<Record<NonNullable<ToldGroup["kind"]>, string>> = {
  moved: "moved, with the same content",
  rewritten: "rewritten: more than 50 changes on each page; the first of one of them",
  mode: "loaded over HTTP before and in the browser now, or the other way round; the first change of one of them",
  repaged: "entries that moved to another page of their list, with the same text; one of them",
};

/** Returns the lines of a message, independent of its format; their number is limited. */
export function outlineOf({ sections }: Digest): OutlineLine[] {
  const lines = sections.slice(0, sectionsMax).flatMap(linesOf);
  const rest = sections.length - sectionsMax;
  return rest > 0 ? [...lines, more(`and ${rest} more runs`, null)] : lines;
}

function linesOf(section: DigestSection): OutlineLine[] {
  const review = webLink(section.run?.link ?? section.object.link);
  const shown = section.groups.slice(0, groupsMax);
  const rest = section.groups_total - shown.length;
  return [
    { kind: "heading", text: oneLine(section.object.name, 120), link: webLink(section.object.link) },
    { kind: "said", text: sentence(section), link: review },
    ...shown.flatMap((group): OutlineLine[] => [
      {
        kind: "group",
        text: `${group.pages.toLocaleString("en-US")} ${group.pages === 1 ? "page" : "pages"}, such as ${oneLine(group.sample.path, lineMax)}${group.kind === undefined ? "" : ` (${kindWords[group.kind]})`}`,
        link: webLink(group.sample.link),
        snapshotId: group.sample.snapshot_id ?? null,
      },
      ...(group.kind === "moved"
        ? changedLines("more", group.added)
        : [
            ...changedLines("removed", group.removed === "" ? "" : (group.words ?? group.removed)),
            ...changedLines("added", group.added === "" ? "" : (group.words ?? group.added)),
          ]),
    ]),
    ...(rest > 0 ? [more(`and ${rest.toLocaleString("en-US")} more groups`, review)] : []),
    ...pagesOf("New", section.new, review),
    ...pagesOf("Gone", section.gone, review),
    ...pagesOf("Moved", section.moved, review),
    ...pagesOf("No longer linked", section.unlinked, review),
    ...pagesOf("Failing", section.failing, review),
    ...pagesOf("Back", section.recovered, review),
  ];
}

function changedLines(kind: "removed" | "added" | "more", text: string): OutlineLine[] {
  const line = oneLine(text, lineMax);
  return line === "" ? [] : [{ kind, text: line, link: null }];
}

function pagesOf(label: string, { total, pages }: ToldPages, review: string | null): OutlineLine[] {
  if (total === 0) return [];
  const shown = pages.slice(0, pagesMax);
  const rest = total - shown.length;
  return [
    { kind: "label", text: label, link: null },
    ...shown.map((page) => ({ kind: "page" as const, text: pageText(page), link: webLink(page.link) })),
    ...(rest > 0 ? [more(`and ${rest.toLocaleString("en-US")} more`, review)] : []),
  ];
}

const pageText = ({ path, said }: ToldPage): string =>
  oneLine(path, lineMax) + (said === "" ? "" : `: ${oneLine(said, lineMax)}`);

const more = (text: string, link: string | null): OutlineLine => ({ kind: "more", text, link });
