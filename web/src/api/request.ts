/** Builds a request's address from a row of the endpoint table: `{name}` filled from params, the query appended. */
export function requestPath(template: string, params: Record<string, unknown>, query: Record<string, unknown>): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`The address ${template} needs "${name}"`);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}
