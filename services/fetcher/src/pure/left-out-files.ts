import { budgets } from "@web-tester/contracts/limits";

/** Why a file of a page is not kept, as sentences for a person. */
export const notReached = "The time for this page ran out before this file was loaded. Fetch the page again.";
export const pageBudget = `The page and its files are larger than ${budgets.pageMaxBytes / 1024 / 1024} MiB together. This file was left out.`;
export const blocked = "This address is not loaded: the options of the test object exclude it.";
export const notNamed = "It is not the file that the page names by integrity, so no browser applies it.";

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
