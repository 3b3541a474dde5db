import { createFilePolicy } from "@web-tester/html/replay/file-policy";
import { budgets } from "@web-tester/contracts/limits";

/** Why a file of a page is not kept, as sentences for a person. */
export const notReached = "The time for this page ran out before this file was loaded. Fetch the page again.";
export const pageBudget = `The page and its files are larger than ${budgets.pageMaxBytes / 1024 / 1024} MiB together. This file was left out.`;
export const blocked = "This address is not loaded: the options of the test object exclude it.";
export const notNamed = "It is not the file that the page names by integrity, so no browser applies it.";
export const refusedByPolicy = "The page's own security policy lets no browser load it, so nobody saw it.";

const filesMax = 1_000;
export const urlMaxChars = 2_000;

/**
 * Whether a file was left out by our limits, not by its server: only capturing the whole page tells whether it would be
 * left out again.
 */
export function isOurs(error: string | null): boolean {
  return (
    error !== null &&
    (error === notReached ||
      error === pageBudget ||
      error === blocked ||
      /^The (?:address has|page needs) more than /.test(error))
  );
}

/** @param files how many files the page has so far */
export function refusalOf({ url }: { url: string }, files: number): string | null {
  if (url.length > urlMaxChars) return `The address has more than ${urlMaxChars} characters.`;
  return files >= filesMax ? `The page needs more than ${filesMax} files. This one was skipped.` : null;
}

/** Returns a key that pages share whose policies refuse the same files: a nonce is another one each time, and allows none of them. */
export function refusingAlike({ policies }: { policies: readonly string[] }): string {
  return policies.join().replaceAll(/'nonce-[^']*'/gi, "");
}

/**
 * Returns a function that tells which files the policies of a page refuse, whichever of its stylesheets names them: pictures, fonts and media. What else they
 * refuse depends on the element that names it, and is decided when the page is shown.
 * @param page `policies`: those that its server sent with it
 */
export function refusedBy(page: {
  policies: readonly string[];
  finalUrl: string;
}): (file: { url: string; kind: string }) => boolean {
  const policy = createFilePolicy(page.policies, page.finalUrl);
  return ({ url, kind }) => (kind === "image" || kind === "font" || kind === "media") && !policy.allows(url, kind);
}
