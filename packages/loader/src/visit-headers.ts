import type { SiteVisit } from "@web-tester/contracts/visitor";

/**
 * Returns the headers that present the chosen visitor in requests over HTTP; none where nothing was chosen, so that the
 * product's own hold.
 */
export function visitHeaders({
  userAgent,
  language,
}: Pick<SiteVisit, "userAgent" | "language">): Record<string, string> {
  const [agent, locale] = [userAgent.trim(), language.trim()];
  return {
    ...(agent === "" ? {} : { "user-agent": agent }),
    ...(locale === "" ? {} : { "accept-language": acceptLanguage(locale) }),
  };
}

/** Turns `de-DE` into `de-DE,de;q=0.9`, as browsers send it. */
function acceptLanguage(locale: string): string {
  const [base = locale] = locale.split("-", 1);
  return base === locale ? locale : `${locale},${base};q=0.9`;
}
