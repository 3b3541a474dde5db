/** The most policies of a page, since every style and file is checked against each. */
export const policiesMax = 20;

/** Returns the policies in the headers of a page. @param headers names in lower case */
export function sentPolicies(headers: Readonly<Record<string, string | string[]>> | null): string[] {
  const sent = headers?.["content-security-policy"] ?? [];
  return (typeof sent === "string" ? [sent] : sent).flatMap((value) => value.split(","));
}

/** Returns the sources of each directive of a policy, by its name in lower case; of a directive that occurs twice, the first counts. */
export function directivesOf(policy: string): Map<string, readonly string[]> {
  const directives = new Map<string, readonly string[]>();
  for (const directive of policy.split(";")) {
    const [name = "", ...sources] = directive.trim().split(/\s+/);
    if (!directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
  }
  return directives;
}
