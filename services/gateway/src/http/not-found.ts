import { AppError } from "@web-tester/contracts/errors";

const shownChars = 60;

/** @param what the thing in the specification's word: `test object`, `instance`, `snapshot`, `run` */
export function notFound(what: string, id: string): AppError {
  const shown = id.length > shownChars ? `${id.slice(0, shownChars)}…` : id;
  return new AppError(
    "not_found",
    `There is no ${what} with the id “${shown}”. It may have been deleted; go back to the list and choose again.`,
  );
}
