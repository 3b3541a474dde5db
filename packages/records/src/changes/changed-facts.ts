import type { ChangedFact } from "@web-tester/contracts/entities/snapshot";
import type { PageFact } from "@web-tester/contracts/entities/vocabulary";

/** Facts of a finished snapshot besides its content. */
export interface SnapshotFacts {
  status: number | null;
  /** The address after redirects; null when there were none. */
  redirectedTo: string | null;
  contentType: HeaderValue;
  csp: HeaderValue;
  xRobotsTag: HeaderValue;
}

/** A header; a list when it came several times. */
type HeaderValue = string | string[] | null;

interface Head {
  title: string | null;
  canonical: string | null;
  robots: string | null;
}

const valueMaxChars = 2_000;

/**
 * Returns the facts that differ between two snapshots of a page, besides their content.
 * @param heads the heads of both pages, null when the contents are equal
 */
export function changedFacts(
  before: SnapshotFacts,
  after: SnapshotFacts,
  heads: readonly [before: Head, after: Head] | null,
): ChangedFact[] {
  const [one, other] = [readable(before), readable(after)];
  // status 304 says nothing about the page's own status, so it is not compared
  const wasModified = before.status !== 304 && after.status !== 304;
  const found = (Object.keys(one) as (keyof typeof one)[]).map((fact) =>
    fact === "status" && !wasModified ? null : changed(fact, one[fact], other[fact]),
  );
  if (heads !== null) {
    const [head, newHead] = heads;
    for (const fact of ["title", "canonical", "robots"] as const) found.push(changed(fact, head[fact], newHead[fact]));
  }
  return found.filter((fact) => fact !== null);
}

function readable(facts: SnapshotFacts) {
  return {
    status: facts.status === null ? null : String(facts.status),
    redirect: facts.redirectedTo?.replace(/#.*$/s, "") ?? null,
    content_type: contentType(facts.contentType),
    csp: withoutNonces(joined(facts.csp)),
    x_robots_tag: joined(facts.xRobotsTag),
  } satisfies Partial<Record<PageFact, string | null>>;
}

function changed(fact: PageFact, before: string | null, after: string | null): ChangedFact | null {
  return before === after ? null : { fact, before: cut(before), after: cut(after) };
}

function joined(value: HeaderValue): string | null {
  const text = Array.isArray(value) ? value.join(", ") : value;
  return text?.trim() || null;
}

/** Normalises a content type: `text/html;charset=UTF-8` and `text/html; charset="utf-8"` mean the same. */
function contentType(value: HeaderValue): string | null {
  return (
    joined(value)
      ?.toLowerCase()
      .replaceAll('"', "")
      .replaceAll(/\s*;\s*/g, "; ") ?? null
  );
}

/** Masks nonces, which are new in every answer and permit the same. */
function withoutNonces(policy: string | null): string | null {
  return policy?.replaceAll(/'nonce-[^']*'/gi, "'nonce-…'") ?? null;
}

function cut(value: string | null): string | null {
  return value !== null && value.length > valueMaxChars ? `${value.slice(0, valueMaxChars)}…`.toWellFormed() : value;
}
