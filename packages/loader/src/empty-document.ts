import { AppError } from "@web-tester/contracts/errors";

/** @param where the page's name */
export function emptyDocument(where: string): AppError {
  return new AppError(
    "empty_document",
    `The page ${where} is empty: a visitor would see nothing at all. Try again; if it happens every time, check the server.`,
  );
}
