import { limits } from "@web-tester/contracts/limits";

/** Returns the name of a page: its title (in Unicode NFC, like all names), or its path and query if it has none. */
export function instanceName(title: string | null, url: URL): string {
  const name = title === null || title === "" ? url.pathname + url.search : title.normalize("NFC");
  return name.length > limits.nameMaxChars ? `${name.slice(0, limits.nameMaxChars - 1)}…` : name;
}
