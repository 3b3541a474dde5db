import type { DigestSection, ToldGroup, ToldPage, ToldPages } from "@web-tester/contracts/entities/digest";
import { type EventKind, eventKind } from "@web-tester/contracts/entities/digest";
import { fromTheFirst, isNews, isToldByFetches, type RunNote } from "@web-tester/records/events/crawl-notes";
import { backOf, type Findings, type FoundPage, type FoundPages } from "@web-tester/records/events/run-findings";
import type { UntoldRun } from "@web-tester/records/events/tell-run";
import { hiddenWords } from "@web-tester/html/text/hidden-words";
import { toldKind } from "@web-tester/signal/compare/fingerprint";

/**
 * Makes addresses of screens.
 * @param base address at which people reach the product, without a slash at its end
 */
export const linksFrom = (base: string) => ({
  object: (id: string) => `${base}/objects/${id}`,
  lifecycle: (id: string, runId: string) => `${base}/objects/${id}/lifecycle?run=${runId}`,
  review: (id: string) => `${base}/runs/${id}/review`,
  instance: (id: string) => `${base}/instances/${id}`,
  diff: (a: string, b: string) => `${base}/diff?a=${a}&b=${b}`,
});
export type Links = ReturnType<typeof linksFrom>;

/** Which events are reported, and of which pages. */
interface Told {
  events: readonly EventKind[];
  min_pages: number;
  /** Wildcard over path and query; empty for all pages. */
  path: string;
  failures: number;
  toldSince: string | null;
}

/** Feeds have every kind of event except that a run ended. */
export const ofFeeds: Told & { text: string } = {
  events: eventKind.options.filter((kind) => kind !== "run-ended"),
  min_pages: 1,
  path: "",
  text: "",
  ...fromTheFirst,
};

/** What a run found, and the part of it that a route covers. */
interface Found {
  all: Findings;
  covered: Findings;
}

function toldGroup(
  { fingerprint, kind: stored, sample, ...group }: Findings["groups"][number],
  links: Links,
): ToldGroup {
  const kind = toldKind(fingerprint, stored);
  const words = kind === "content" || kind === "repaged" ? hiddenWords(group) : null;
  return {
    ...group,
    ...(words !== null && { words }),
    ...(kind === "moved" || kind === "rewritten" || kind === "mode" || kind === "repaged" ? { kind } : {}),
    sample: toldPage(sample, links),
  };
}

/** Makes the section of a digest that tells what a run found, as far as a route wants it; null where that is nothing. */
export function sectionOf(
  run: UntoldRun,
  { all, covered: found }: Found,
  { events, min_pages: minPages, path, failures, toldSince }: Told,
  notes: readonly RunNote[],
  links: Links,
): DigestSection | null {
  const told = (kind: EventKind, pages: FoundPages): ToldPages =>
    events.includes(kind) ? { total: pages.total, pages: pages.pages.map((page) => toldPage(page, links)) } : nothing;
  const isChanged = events.includes("changed") && found.changed.total >= minPages;
  const section = {
    object: { id: run.objectId, name: run.objectName, url: run.objectUrl, link: links.object(run.objectId) },
    run: {
      id: run.id,
      link: run.kind === "snapshot-all" ? links.review(run.id) : links.lifecycle(run.objectId, run.id),
      kind: run.kind,
      finished_at: run.finishedAt.toISOString(),
    },
    changed: isChanged ? found.changed.total : 0,
    groups_total: isChanged ? found.groupsTotal : 0,
    groups: isChanged ? found.groups.map((group) => toldGroup(group, links)) : [],
    new: told("new", found.fresh),
    gone: told("gone", found.gone),
    moved: told("moved", found.moved),
    unlinked: told("unlinked", found.unlinked),
    failing: told("failing", found.failing),
    recovered: told(
      "recovered",
      backOf(found, (as) => as !== "unknown" && events.includes(as)),
    ),
    strange: notes
      .filter(({ kind, section: place }) => events.includes(kind) && isOn(path, place))
      .filter((note) => isNews(note, { failures, toldSince }) && !isToldByFetches(note, failures))
      .map(({ said }) => said),
    notes: events.includes("run-ended") ? [endedWords(run)] : [],
  };
  const kinds = [section.new, section.gone, section.moved, section.unlinked, section.failing, section.recovered];
  const isFound = section.changed > 0 || kinds.some(({ total }) => total > 0);
  if (isFound || section.strange.length > 0) return section;
  if (section.notes.length === 0) return null;
  const isFailing = notes.some(({ kind }) => kind === "failing");
  return isEmpty(all) && !isFailing ? section : { ...section, leaves_out: true };
}

const isEmpty = (found: Findings): boolean =>
  [found.changed, found.fresh, found.gone, found.moved, found.unlinked, found.failing, backOf(found, () => true)].every(
    ({ total }) => total === 0,
  );

/** Whether a wildcard covers a section of a site: `/blog/*` covers the section `/blog/`. */
export const isOn = (wildcard: string, section: string): boolean =>
  wildcard === "" || section.startsWith(wildcard.slice(0, Math.max(0, wildcard.search(/\*|$/))));

const nothing: ToldPages = { total: 0, pages: [] };

function endedWords({ kind, total, failed }: UntoldRun): string {
  const what = kind === "crawl" ? "The crawl" : kind === "sitemaps" ? "The sitemap crawl" : "The fetch";
  return `${what} finished: ${total.toLocaleString("en-US")} done${failed > 0 ? `, ${failed.toLocaleString("en-US")} of them failed` : ""}`;
}

function toldPage(page: FoundPage, links: Links): ToldPage {
  const { url, instanceId, snapshotId, comparedWith } = page;
  const parsed = URL.parse(url);
  const isCompared = page.times === 0 && snapshotId !== null && comparedWith !== null;
  return {
    path: parsed === null ? url : parsed.pathname + parsed.search,
    url,
    link: isCompared ? links.diff(comparedWith, snapshotId) : links.instance(instanceId),
    snapshot_id: snapshotId,
    said: page.said,
  };
}
