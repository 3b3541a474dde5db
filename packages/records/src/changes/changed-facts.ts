import type { ChangedFact } from "@web-tester/contracts/entities/snapshot";
import type { PageFact } from "@web-tester/contracts/entities/vocabulary";

/** What a finished snapshot says beside its content. */
export interface SnapshotFacts {
  status: number | null;
  /** Where redirects led to; null where nothing redirected. */
  redirectedTo: string | null;
  contentType: HeaderValue;
  csp: HeaderValue;
  xRobotsTag: HeaderValue;
}

/** A header that came several times has a list. */
type HeaderValue = string | string[] | null;

interface Head {
  title: string | null;
  canonical: string | null;
  robots: string | null;
}

const valueMaxChars = 2_000;

/**
 * What two snapshots of a page say differently, beside their content.
 * @param heads of both pages, where these differ
 */
export function changedFacts(
  before: SnapshotFacts,
  after: SnapshotFacts,
  heads: readonly [before: Head, after: Head] | null,
): ChangedFact[] {
  const [one, other] = [readable(before), readable(after)];
  // "not modified" is said of a page that is as it was
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

/** `text/html;charset=UTF-8` and `text/html; charset="utf-8"` say the same. */
function contentType(value: HeaderValue): string | null {
  return (
    joined(value)
      ?.toLowerCase()
      .replaceAll('"', "")
      .replaceAll(/\s*;\s*/g, "; ") ?? null
  );
}

/** A nonce is new with every answer and permits the same. */
function withoutNonces(policy: string | null): string | null {
  return policy?.replaceAll(/'nonce-[^']*'/gi, "'nonce-…'") ?? null;
}

function cut(value: string | null): string | null {
  return value !== null && value.length > valueMaxChars ? `${value.slice(0, valueMaxChars)}…`.toWellFormed() : value;
}
