import type { KeptScripts } from "@web-tester/contracts/entities/vocabulary";
import { getDomain } from "tldts";

/**
 * Returns a test for which scripts of a page are kept: none, all, or those of its own site as browsers define it (the
 * registrable domain, whatever the port).
 */
export function scriptsOf({
  keepScripts,
  url,
}: {
  keepScripts: KeptScripts;
  url: string;
}): (script: string) => boolean {
  if (keepScripts !== "own") return () => keepScripts === "all";
  const site = siteOf(url);
  return (script) => siteOf(script) === site;
}

function siteOf(url: string): string {
  const { hostname } = new URL(url);
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}
