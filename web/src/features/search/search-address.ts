import type { SearchScope } from "@web-tester/contracts/entities/search";

/** What the address of a search contains; `idx` is zero-based, undefined for all snapshots. */
export interface SearchAddress {
  readonly q: string;
  readonly idx: number | undefined;
  readonly instance: string | undefined;
  readonly scope: SearchScope;
  readonly view: SearchView;
}

/** Snapshots with the phrase, or its history on each page. */
type SearchView = "results" | "history";

export function readSearchAddress(search: URLSearchParams): SearchAddress {
  const idx = search.get("idx") ?? "";
  const instance = search.get("instance") ?? "";
  return {
    q: search.get("q") ?? "",
    idx: /^\d{1,5}$/.test(idx) ? Number(idx) : undefined,
    instance: instance === "" ? undefined : instance,
    scope: search.get("scope") === "text" ? "text" : "html",
    view: search.get("view") === "history" ? "history" : "results",
  };
}

/** Returns the address after a change; empty and default values are left out. */
export function writeSearchAddress(search: URLSearchParams, change: Partial<SearchAddress>): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === "" || value === "html" || value === "results") next.delete(name);
    else next.set(name, String(value));
  }
  return next;
}

/** The address of a snapshot, opened at its matches. */
export function snapshotAddress(snapshotId: string, q: string, scope: SearchScope): string {
  return scope === "html"
    ? `/snapshots/${snapshotId}?${new URLSearchParams({ q }).toString()}`
    : `/snapshots/${snapshotId}`;
}
