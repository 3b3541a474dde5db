import type { DigestSection, ToldGroup, ToldPage, ToldPages } from "@web-tester/contracts/entities/digest";
import type { ChannelKind } from "@web-tester/contracts/entities/notifications";
import { pagesMax, sectionsMax } from "./outline.js";
import { payloadSections } from "./posts.js";

/** The kinds of event whose pages are named. */
const pageKinds = ["new", "gone", "moved", "unlinked", "failing", "recovered"] as const;
type PageKind = (typeof pageKinds)[number];

/**
 * Returns what a message still has to tell its channel, because several routes of a channel may cover the same run. What was told is left
 * out for each kind of event: pages and sentences one by one, changes as a whole. It never leaves out what nobody read: of a message
 * that was sent only those sections and pages count that it showed.
 * @param sections of the message
 * @param sent sections of the messages that the channel has received
 * @returns empty when nothing is left
 */
export function leftToTell(
  sections: readonly DigestSection[],
  sent: readonly (readonly DigestSection[])[],
  kind: ChannelKind,
): DigestSection[] {
  const told = sent.flatMap((message) => message.slice(0, kind === "email" ? sectionsMax : payloadSections));
  return sections.flatMap((section) => {
    // a section about no run, such as an example, says the same each time
    const before = section.run === null ? [] : told.filter((one) => one.run?.id === section.run?.id);
    return before.length === 0 ? [section] : (without(section, before) ?? []);
  });
}

function without(section: DigestSection, told: readonly DigestSection[]): DigestSection | null {
  const pages = (kind: PageKind) =>
    pagesLeft(
      section[kind],
      told.map((one) => one[kind]),
    );
  const said = (kind: "strange" | "notes") =>
    section[kind].filter((words) => !told.some((one) => one[kind].includes(words)));
  const left: DigestSection = {
    ...section,
    ...(areChangesTold(section, told) ? { changed: 0, groups_total: 0, groups: [] } : {}),
    ...{ new: pages("new"), gone: pages("gone"), moved: pages("moved"), unlinked: pages("unlinked") },
    ...{ failing: pages("failing"), recovered: pages("recovered"), strange: said("strange"), notes: said("notes") },
  };
  if (hasFindings(left)) return left;
  // alone, the sentence that the run ended would read as if nothing had been found
  return left.notes.length === 0 ? null : section;
}

const hasFindings = (section: DigestSection): boolean =>
  section.changed > 0 || section.strange.length > 0 || pageKinds.some((kind) => section[kind].total > 0);

/** Pages that a message only counted were not told, unless all is the same; a list that is not whole stays, because nobody knows the rest of it. */
function pagesLeft(pages: ToldPages, told: readonly ToldPages[]): ToldPages {
  if (pages.total === 0 || told.some((one) => isSame(one, pages))) return { total: 0, pages: [] };
  if (pages.pages.length < pages.total) return pages;
  const named = new Set(told.flatMap((one) => one.pages.slice(0, pagesMax).map(nameOf)));
  const left = pages.pages.filter((page) => !named.has(nameOf(page)));
  return { total: left.length, pages: left };
}

const nameOf = ({ url, said }: ToldPage): string => JSON.stringify([url, said]);

/**
 * Changes were told if one message showed the same, or messages showed each group with its number of pages and its sample. Pages in no
 * group have to be counted by a message that is the same.
 */
function areChangesTold(section: DigestSection, told: readonly DigestSection[]): boolean {
  const { changed, groups, groups_total: total } = section;
  const isEqual = (one: DigestSection) =>
    one.changed === changed && one.groups_total === total && isSame(one.groups, groups);
  if (changed === 0 || told.some(isEqual)) return true;
  const shown = new Set(told.flatMap((one) => one.groups.slice(0, pagesMax).map(groupOf)));
  const inGroups = groups.reduce((sum, { pages }) => sum + pages, 0);
  return groups.length === total && changed <= inGroups && groups.every((group) => shown.has(groupOf(group)));
}

const groupOf = ({ pages, removed, added, sample }: ToldGroup): string =>
  JSON.stringify([pages, removed, added, sample.url]);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
