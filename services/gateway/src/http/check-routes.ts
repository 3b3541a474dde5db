/** How the handlers of an application fail to match the endpoint table; both empty when they match. */
export interface RouteFaults {
  missing: string[];
  doubled: string[];
}

/**
 * @param table names of all endpoints
 * @param handled name of the endpoint of each handler found, once per handler
 */
export function routeFaults(table: readonly string[], handled: readonly string[]): RouteFaults {
  const counts = new Map<string, number>();
  for (const name of handled) counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    missing: table.filter((name) => !counts.has(name)),
    doubled: [...counts].filter(([, count]) => count > 1).map(([name]) => name),
  };
}

/** One line for the person who starts the program, or null when all is well. */
export function describeRouteFaults({ missing, doubled }: RouteFaults): string | null {
  const parts = [
    missing.length > 0 ? `without a handler: ${missing.join(", ")}` : "",
    doubled.length > 0 ? `with more than one handler: ${doubled.join(", ")}` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? null : `The gateway does not match its endpoint table. Endpoints ${parts.join("; ")}.`;
}
