import { limits } from "@web-tester/contracts/limits";
import { turning } from "@web-tester/contracts/text-direction";
import { isVisible } from "@web-tester/contracts/visible-text";

/**
 * Returns the name of a page: its title (in Unicode NFC, like all names, without controls that turn the text after them), or its path and query
 * if it has none that can be seen.
 */
export function instanceName(title: string | null, url: URL): string {
  const shown = (title ?? "").normalize("NFC").replaceAll(turning, "");
  const name = isVisible(shown) ? shown : url.pathname + url.search;
  return name.length > limits.nameMaxChars ? `${name.slice(0, limits.nameMaxChars - 1)}…` : name;
}
