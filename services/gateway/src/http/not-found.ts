import { AppError } from "@web-tester/contracts/errors";

const shownChars = 60;

/**
 * Makes the error for something that does not exist.
 * @param what the thing in the specification's word: `test object`, `instance`, `snapshot`, `run`
 * @param id left out where the thing is identified by something else, which `what` says
 */
export function notFound(what: string, id?: string): AppError {
  const named = id === undefined ? "" : ` with the id “${id.length > shownChars ? `${id.slice(0, shownChars)}…` : id}”`;
  return new AppError(
    "not_found",
    `There is no ${what}${named}. It may have been deleted; go back to the list and choose again.`,
  );
}
