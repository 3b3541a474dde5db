import { createHash } from "node:crypto";
import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import { LRUCache } from "lru-cache";
import { type CompiledRule, compileRule } from "./compile-rule.js";

/** The rules that are in force for a test object. */
export class RuleSet {
  readonly #rules: readonly CompiledRule[];
  readonly #ofPath = new LRUCache<string, readonly CompiledRule[]>({ max: 1_000 });

  /** @throws AppError invalid_input where a rule is invalid */
  constructor(rules: readonly AppliedRule[]) {
    this.#rules = rules.map((rule) => compileRule(rule));
  }

  /** Returns the rules that hold for a page, given its path and query. */
  of(path: string): readonly CompiledRule[] {
    let found = this.#ofPath.get(path);
    if (found === undefined) {
      found = this.#rules.filter((rule) => rule.holdsFor(path));
      this.#ofPath.set(path, found);
    }
    return found;
  }
}

/**
 * Returns a hash of the meaning of rules together: sets with the same effect on every page have the same hash, whatever
 * their notes say.
 */
export function hashRules(rules: readonly AppliedRule[]): Buffer {
  const hash = createHash("sha256");
  for (const rule of rules) hash.update(`${rule.id} ${compileRule(rule).key}\n`);
  return hash.digest();
}

/** Returns the path and query of a page's address, which the path of a rule is matched with. */
export function pathOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : parsed.pathname + parsed.search;
}
