import type { SiteVisit } from "@web-tester/contracts/visitor";

/** Headers by which requests over HTTP say as whom they ask; the product's own where nothing was chosen. */
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

/** `de-DE` as `de-DE,de;q=0.9`, as browsers send it. */
function acceptLanguage(locale: string): string {
  const [base = locale] = locale.split("-", 1);
  return base === locale ? locale : `${locale},${base};q=0.9`;
}
