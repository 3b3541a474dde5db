/**
 * Thrown where a rule cannot be evaluated on a page, which is then treated as if there were no such rule. The message says why.
 */
export class NotApplied extends Error {}
