import type { AppliedRule, RuleSpec } from "@web-tester/contracts/entities/rule";
import { wildcardSet } from "@web-tester/urls/wildcard-set";
import type { Learned } from "./learned.js";

/** SHA-256 (hex) of files as they were at one time, by address; those that could not be had are left out. */
export type FileHashes = ReadonlyMap<string, string>;

const shownChars = 12;

/**
 * Rules for files that were not the same twice within seconds. Several addresses that differ only in their query are one.
 * @param looked pages that were looked at
 */
export function rulesForFiles(
  files: readonly { url: string; pages: number }[],
  [before, after]: readonly [FileHashes, FileHashes],
  { looked, rules }: { looked: number; rules: readonly AppliedRule[] },
): Learned[] {
  const isKnown = wildcardSet(rules.flatMap(({ kind, pattern }) => (kind === "file" ? [pattern ?? ""] : [])));
  const different = files.filter(({ url }) => {
    const [was, is] = [before.get(url), after.get(url)];
    return was !== undefined && is !== undefined && was !== is && isKnown(url) === -1;
  });
  const byPath = Map.groupBy(different, ({ url }) => url.replace(/\?.*$/s, ""));
  return [...byPath].map(([path, same]) => {
    const [first] = same;
    const pattern = same.length === 1 && first !== undefined ? first.url : `${path}*`;
    const values = same.flatMap(({ url }) => [before.get(url) ?? "", after.get(url) ?? ""]);
    return {
      spec: { ...fileRule, pattern },
      evidence: {
        pages: Math.max(...same.map(({ pages }) => pages)),
        looked,
        values: values.slice(0, 2).map((hash) => `SHA-256 ${hash.slice(0, shownChars)}…`),
        share: 0,
      },
    };
  });
}

const fileRule: RuleSpec = {
  ...{ kind: "file", selector: null, name: null, parameter: null, pattern: null },
  ...{ syntax: "literal", before: null, after: null },
};
