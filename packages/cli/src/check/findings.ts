import type { ChangeGroup, ReviewPage, SaidVerdict } from "@web-tester/contracts/entities/review";

export const failKinds = ["changed", "new", "gone", "failed"] as const;
export type FailKind = (typeof failKinds)[number];

/** One difference, or one page that failed; equal changes of many pages are one. */
export interface Finding {
  kind: FailKind;
  /** Where it is: in what pages say, in a file, in a header or the status; of a page that is new, gone or failed, the page. */
  of: "content" | "file" | "header" | "status" | "page";
  /** A page, or how many and one of them. */
  title: string;
  pages: number;
  /** Lines that went and that came, shortened; what was said of a failure. */
  details: string;
  /** Where it is looked at; empty where that is gone when the program ends. */
  link: string;
  said: SaidVerdict | null;
  /** Whether nobody has accepted or ignored it. */
  waits: boolean;
}

/** Whether a check fails for a finding. */
export const fails = ({ kind, waits }: Finding, failOn: readonly FailKind[]): boolean => waits && failOn.includes(kind);

/** How a check ended. */
export interface CheckResult {
  /** Its row on the server. */
  id: string;
  object: { id: string; name: string; url: string };
  against: string;
  /** Where it is reviewed; empty where that is gone when the program ends. */
  review: string;
  run_id: string;
  total: number;
  unchanged: number;
  findings: Finding[];
  /** What it fails for. */
  fail_on: FailKind[];
  outcome: "clean" | "differences" | "failures";
}

/** What was found. */
export interface Found {
  groups: readonly ChangeGroup[];
  pages: readonly ReviewPage[];
  /** Groups that no page needs that nobody has settled by itself. */
  settled: ReadonlySet<string>;
}

/** @param base where the screens are, without a slash at its end; null: nowhere */
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
    details: kind === "file" ? `${added} changed` : [...linesOf("-", removed), ...linesOf("+", added)].join("\n"),
    link: linkOf(sample.compared_with, sample.snapshot_id),
    waits: isOpen(said) && !settled.has(fingerprint),
  }));
  const ofPages = pages.flatMap((page): Finding[] => {
    const { kind, instance, said } = page;
    if (kind !== "changed" && kind !== "new" && kind !== "gone" && kind !== "failed") return [];
    // how it changed is told by its kinds of change, which may be accepted where this page was called a problem
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

/** What an exit code is made of. */
export function outcomeOf(findings: readonly Finding[], failOn: readonly FailKind[]): CheckResult["outcome"] {
  const failing = findings.filter((finding) => fails(finding, failOn));
  if (failing.some(({ kind }) => kind !== "failed")) return "differences";
  return failing.length > 0 ? "failures" : "clean";
}

function pathOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : parsed.pathname + parsed.search;
}

/** A page that differs in white space alone, whose snapshots were removed meanwhile, or that could not be compared, differs in nothing that has a name. */
const hasKinds = ({ changes }: ReviewPage): boolean => changes > 0;

const isOpen = (said: SaidVerdict | null): boolean => said === null || said.verdict === "problem";

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
