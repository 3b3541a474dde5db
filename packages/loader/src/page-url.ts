import { AppError } from "@web-tester/contracts/errors";
import { nameUrl } from "./name-url.js";

/** Parses the URL that a load asks for, without its fragment. @throws AppError invalid_input */
export function parsePageUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null)
    throw new AppError(
      "invalid_input",
      `“${withoutCredentials(text).slice(0, 100)}” is not a full URL. Enter one that starts with http:// or https://.`,
    );
  if (url.username !== "" || url.password !== "") {
    throw new AppError(
      "invalid_input",
      `The URL ${nameUrl(url)} contains a user name or password. Set them under Options instead.`,
    );
  }
  url.hash = "";
  return url;
}

/** Removes user name and password from a text that should have been a URL, so that messages may repeat it. */
export function withoutCredentials(text: string): string {
  return text.replace(/^([a-z]+:)?[\\/]*[^\\/?#]*@/i, "$1//");
}
