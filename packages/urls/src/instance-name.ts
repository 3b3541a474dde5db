import { limits } from "@web-tester/contracts/limits";

/** The page's title, or its path where it has none. */
export function instanceName(title: string | null, url: URL): string {
  const name = title === null || title === "" ? url.pathname + url.search : title;
  return name.length > limits.nameMaxChars ? `${name.slice(0, limits.nameMaxChars - 1)}…` : name;
}
