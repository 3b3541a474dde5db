import type { Digest, DigestSection, ToldPages } from "@web-tester/contracts/entities/digest";
import { oneLine } from "./clean.js";

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
const pathMax = 80;

/** Returns the findings of a run as a person would say them: “12 pages changed in 2 groups, 1 new, /shop fails since 09:10”. */
export function sentence(section: DigestSection): string {
  const parts: string[] = [];
  const { changed, groups_total: groups } = section;
  if (changed > 0)
    parts.push(
      `${counted(changed, "page")} changed${groups > 0 && changed > 1 ? ` in ${counted(groups, "group")}` : ""}`,
    );
  parts.push(...few(section.new, "new", "new"));
  parts.push(...few(section.gone, "gone", "is gone"));
  parts.push(...few(section.moved, "moved", "moved"));
  parts.push(...few(section.unlinked, "no longer linked", "is no longer linked"));
  parts.push(...failing(section.failing));
  parts.push(...few(section.recovered, "back", "is back"));
  const { strange } = section;
  const isQuiet = strange.length === 0 && section.leaves_out !== true;
  const found = parts.length > 0 ? [parts.join(", ")] : isQuiet ? ["Nothing changed"] : [];
  return [...found, ...[...strange, ...section.notes].map((note) => oneLine(note, 300))].join(". ");
}

const listedMax = 500;
const nameMax = 200;

/** Returns what a list of messages shows of one: the findings of each run, cut. */
export const listed = (sections: readonly DigestSection[]): string =>
  sections
    .map((section) => `${oneLine(section.object.name, nameMax)}: ${sentence(section)}`)
    .join(" · ")
    .slice(0, listedMax);

/** Counts several pages, but names a single one. */
function few({ total, pages }: ToldPages, many: string, one: string): string[] {
  if (total === 0) return [];
  const [page] = pages;
  return total === 1 && page !== undefined
    ? [`${oneLine(page.path, pathMax)} ${one}`]
    : [`${total.toLocaleString("en-US")} ${many}`];
}

function failing({ total, pages }: ToldPages): string[] {
  const [page] = pages;
  if (total !== 1 || page === undefined) return total === 0 ? [] : [`${total.toLocaleString("en-US")} fail`];
  return [`${oneLine(page.path, pathMax)} fails${page.said === "" ? "" : ` (${oneLine(page.said, 120)})`}`];
}

/** Returns the subject line of a message. */
export function subject({ sections }: Digest): string {
  const [first] = sections;
  if (first === undefined) return "Nothing changed";
  const rest = sections.length - 1;
  const name = oneLine(first.object.name, 60);
  return oneLine(`${name}: ${sentence(first)}${rest > 0 ? `, and ${rest} more` : ""}`, 200);
}
