import type { RuleEvidence, RuleSpec } from "@web-tester/contracts/entities/rule";

/** A rule for something that differs at every fetch, with its evidence. */
export interface Learned {
  readonly spec: RuleSpec;
  readonly evidence: RuleEvidence;
  /**
   * The path and query pattern of the pages that it applies to, where it would hide unchanging content of others; without
   * it, all pages.
   */
  readonly path?: string;
  /** Whether it hides any words although the seen ones repeated: after further fetches it may become a list. */
  readonly mayBeList?: boolean;
  /** Whether it hides prices, which people watch: it is for a person to decide. */
  readonly isPrice?: boolean;
}
