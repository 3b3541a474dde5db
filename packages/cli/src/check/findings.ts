import type { ReviewPage, RunReview, SaidVerdict } from "@web-tester/contracts/entities/review";

export const failKinds = ["changed", "new", "gone", "failed"] as const;
export type FailKind = (typeof failKinds)[number];

/** One difference, or one page that failed; equal changes of many pages are one. */
export interface Finding {
  kind: FailKind;
  /** A page, or how many and one of them. */
  title: string;
  pages: number;
  /** Lines that went and that came, shortened; what was said of a failure. */
  details: string;
  /** Where it is looked at. */
  link: string;
  said: SaidVerdict | null;
  /** Whether it is what a check fails for: nobody has accepted or ignored it. */
  waits: boolean;
}

/** How a check ended. */
export interface CheckResult {
  object: { id: string; name: string; url: string };
  against: string;
  review: string;
  total: number;
  unchanged: number;
  findings: Finding[];
  outcome: "clean" | "differences" | "failures";
}

/** @param base where the screens are, without a slash at its end */
export function findingsOf(
  { groups }: Pick<RunReview, "groups">,
  pages: readonly ReviewPage[],
  base: string,
): Finding[] {
  const pathOf = (url: string) => {
    const parsed = URL.parse(url);
    return parsed === null ? url : parsed.pathname + parsed.search;
  };
  const linkOf = (one: string | null, other: string) =>
    one === null || one === other ? `${base}/snapshots/${other}` : `${base}/diff?a=${one}&b=${other}`;
  const ofGroups = groups.map(({ pages: count, removed, added, sample, said }): Finding => ({
    kind: "changed",
    title: count === 1 ? pathOf(sample.instance.url) : `${count} pages, such as ${pathOf(sample.instance.url)}`,
    pages: count,
    details: [...linesOf("-", removed), ...linesOf("+", added)].join("\n"),
    link: linkOf(sample.compared_with, sample.snapshot_id),
    ...{ said, waits: isOpen(said) },
  }));
  const ofPages = pages.flatMap((page): Finding[] => {
    const { kind, instance, said } = page;
    if (kind !== "changed" && kind !== "new" && kind !== "gone" && kind !== "failed") return [];
    // what differs in its content is told by its kind of change
    if (kind === "changed" && page.lines_added + page.lines_removed > 0) return [];
    return [
      {
        ...{ kind, pages: 1, said, waits: isOpen(said) },
        title: pathOf(instance.url),
        details: detailsOf(page),
        link: linkOf(kind === "changed" ? page.compared_with : null, page.snapshot_id),
      },
    ];
  });
  return [...ofGroups, ...ofPages];
}

/** What an exit code is made of. */
export function outcomeOf(findings: readonly Finding[], failOn: ReadonlySet<FailKind>): CheckResult["outcome"] {
  const failing = findings.filter(({ kind, waits }) => waits && failOn.has(kind));
  if (failing.some(({ kind }) => kind !== "failed")) return "differences";
  return failing.length > 0 ? "failures" : "clean";
}

const isOpen = (said: SaidVerdict | null): boolean => said === null || said.verdict === "problem";

const linesOf = (sign: string, text: string): string[] => (text === "" ? [] : [`${sign} ${text}`]);

function detailsOf({ kind, files_changed: files, facts, error, http_status: status }: ReviewPage): string {
  if (kind === "failed") return error ?? (status === null ? "" : `HTTP ${status}`);
  if (kind === "gone") return status === null ? "is not there any more" : `HTTP ${status}`;
  return [
    ...(files === 0 ? [] : [`${files} ${files === 1 ? "file" : "files"} changed`]),
    ...facts.map(({ fact, before, after }) => `${fact.replaceAll("_", " ")}: ${before ?? "-"} → ${after ?? "-"}`),
  ].join("\n");
}
