import type { SecretMask } from "@web-tester/loader/mask-secrets";
import type { FoundPage, SkippedPage, VisitedPage } from "@web-tester/records/pages/visited-page";

interface Visited {
  visited: VisitedPage;
  found: readonly FoundPage[];
  skipped: readonly SkippedPage[];
}

/**
 * Returns a visit whose addresses, names and messages contain no secret of the object, such as a link of the page in which the
 * site repeats the token that it was asked with. An address is visited with the mask in its place: the request carries the
 * token itself anyway.
 */
export function withoutSecrets({ visited, found, skipped }: Visited, hide: SecretMask) {
  return {
    visited: maskVisited(visited, hide),
    found: uniqueAddresses(found, hide),
    skipped: uniqueAddresses(skipped, hide),
  };
}

function maskVisited(visited: VisitedPage, hide: SecretMask): VisitedPage {
  const { error, instance, redirectedTo, target, name } = visited;
  const canonical = redirectedTo?.canonical ?? null;
  const orNull = (text: string | null) => (text === null ? null : hide(text));
  return {
    ...visited,
    error: orNull(error),
    target: orNull(target),
    name: orNull(name),
    instance: instance === null ? null : { url: hide(instance.url), name: hide(instance.name) },
    redirectedTo:
      redirectedTo === null
        ? null
        : {
            ...redirectedTo,
            url: hide(redirectedTo.url),
            canonical: canonical === null ? null : { target: hide(canonical.target), name: hide(canonical.name) },
          },
  };
}

/** Addresses that differ in the spelling of a secret alone are one. */
function uniqueAddresses<Row extends { url: string }>(rows: readonly Row[], hide: SecretMask): Row[] {
  const unique = new Map<string, Row>();
  for (const row of rows) {
    const url = hide(row.url);
    if (!unique.has(url)) unique.set(url, { ...row, url });
  }
  return [...unique.values()];
}
