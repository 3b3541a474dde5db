import type { RuleEvidence, RuleSpec } from "@web-tester/contracts/entities/rule";

/** A rule for something that differs at every fetch, and why. */
export interface Learned {
  readonly spec: RuleSpec;
  readonly evidence: RuleEvidence;
  /** Pages it is meant for, by path and query, where it would hide what stays on others; all of them without it. */
  readonly path?: string;
  /** It hides any words, but what was seen came again and again: after further fetches it may be one of a list. */
  readonly mayBeList?: boolean;
}
