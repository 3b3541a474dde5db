import type { ChangeGroup, ReviewPage, SaidVerdict } from "@web-tester/contracts/entities/review";

export const failKinds = ["changed", "new", "gone", "failed"] as const;
export type FailKind = (typeof failKinds)[number];

/** One difference, or one page that failed; equal changes of many pages are one. */
export interface Finding {
  kind: FailKind;
  /** Where the difference is: in the page's content, in the order of its parts (`moved`), all over it (`rewritten`), in what scripts make of it, as it was loaded in another way (`mode`), in entries that moved to another page of their list (`repaged`), in a file, in a header or the status; `page` for pages that are new, gone or failed. */
  of: "content" | "moved" | "rewritten" | "mode" | "repaged" | "file" | "header" | "status" | "page";
  /** The page's path, or the number of pages and one of them. */
  title: string;
  pages: number;
  /** Removed and added lines, shortened; or the error of a failed page. */
  details: string;
  /** Address for the review; empty when it does not exist any more after the program has ended (--local). */
  link: string;
  said: SaidVerdict | null;
  /** Whether nobody has accepted or ignored it. */
  waits: boolean;
}

/** Whether a finding makes the check fail. */
export const fails = ({ kind, waits }: Finding, failOn: readonly FailKind[]): boolean => waits && failOn.includes(kind);

/** The result of a check. */
export interface CheckResult {
  /** Id of the check on the server. */
  id: string;
  object: { id: string; name: string; url: string };
  against: string;
  /** Address of the review; empty when it does not exist any more after the program has ended (--local). */
  review: string;
  run_id: string;
  total: number;
  unchanged: number;
  findings: Finding[];
  /** The kinds of findings that make it fail. */
  fail_on: FailKind[];
  outcome: "clean" | "differences" | "failures";
  /** For each crawl of this check that ended at a limit before it had found all pages: which, in a sentence. */
  cut_off: string[];
}

/** What a comparison found, as the server returns it. */
export interface Found {
  groups: readonly ChangeGroup[];
  pages: readonly ReviewPage[];
  /** Fingerprints of groups all of whose pages were settled one by one. */
  settled: ReadonlySet<string>;
}

/** Lists the findings. @param base address of the screens, without a slash at its end; null when there are none */
export function findingsOf({ groups, pages, settled }: Found, base: string | null): Finding[] {
  const linkOf = (one: string | null, other: string) =>
    base === null
      ? ""
      : one === null || one === other
        ? `${base}/snapshots/${other}`
        : `${base}/diff?a=${one}&b=${other}`;
  const ofGroups = groups.map(({ fingerprint, kind, pages: count, removed, added, sample, said }): Finding => ({
    ...{ kind: "changed", of: kind, pages: count, said },
    title: count === 1 ? pathOf(sample.instance.url) : `${count} pages, such as ${pathOf(sample.instance.url)}`,
    details: detailsOfGroup(kind, removed, added),
    link: linkOf(sample.compared_with, sample.snapshot_id),
    waits: isOpen(said) && !settled.has(fingerprint),
  }));
  const ofPages = pages.flatMap((page): Finding[] => {
    const { kind, instance, said } = page;
    if (kind !== "changed" && kind !== "new" && kind !== "gone" && kind !== "failed") return [];
    // the kinds of its changes are findings already, but they may be accepted while this page was called a problem
    if (kind === "changed" && hasKinds(page) && said?.verdict !== "problem") return [];
    return [
      {
        ...{ kind, of: "page", pages: 1, said, waits: isOpen(said) },
        title: pathOf(instance.url),
        details: detailsOf(page),
        link: linkOf(kind === "changed" ? page.compared_with : null, page.snapshot_id),
      },
    ];
  });
  return [...ofGroups, ...ofPages];
}

/** Returns the outcome, which decides the exit code. */
export function outcomeOf(findings: readonly Finding[], failOn: readonly FailKind[]): CheckResult["outcome"] {
  const failing = findings.filter((finding) => fails(finding, failOn));
  if (failing.some(({ kind }) => kind !== "failed")) return "differences";
  return failing.length > 0 ? "failures" : "clean";
}

function pathOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : parsed.pathname + parsed.search;
}

/**
 * Whether a page differs in a kind of change. It does not if it differs only in white space, if its snapshots were removed meanwhile, or if
 * it could not be compared.
 */
const hasKinds = ({ changes }: ReviewPage): boolean => changes > 0;

const isOpen = (said: SaidVerdict | null): boolean => said === null || said.verdict === "problem";

/** What is said of kinds of change of which only the first change of one page is told. */
const firstOnly: Partial<Record<ChangeGroup["kind"], string>> = {
  rewritten: "rewritten: more than 50 changes on each page, of one page the first:",
  mode: "loaded over HTTP before and in the browser now, or the other way round, of one page the first change:",
  repaged: "entries that moved to another page of their list, with the same text, one of them:",
};

function detailsOfGroup(kind: ChangeGroup["kind"], removed: string, added: string): string {
  if (kind === "file") return `${added} changed`;
  if (kind === "moved") return ["moved, with the same content:", ...linesOf(" ", added)].join("\n");
  const lines = [...linesOf("-", removed), ...linesOf("+", added)];
  return (kind in firstOnly ? [firstOnly[kind], ...lines] : lines).join("\n");
}

const linesOf = (sign: string, text: string): string[] =>
  text === "" ? [] : text.split("\n").map((line) => `${sign} ${line}`);

function detailsOf(page: ReviewPage): string {
  const { kind, error, http_status: status, said, lines_added: added, lines_removed: removed } = page;
  if (kind === "changed" && hasKinds(page)) return said?.note ?? "";
  if (kind === "changed" && added + removed > 0) return `differs in white space alone: +${added} −${removed} lines`;
  if (kind === "failed") return error ?? (status === null ? "" : `HTTP ${status}`);
  if (kind === "gone") return status === null ? "is not there any more" : `HTTP ${status}`;
  return "";
}
