import { endpointRole } from "@web-tester/contracts/entities/role";

/** How the handlers of an application fail to match the endpoint table; all lists are empty when they match. */
export interface RouteFaults {
  missing: string[];
  doubled: string[];
  /** Rows of the table that have no valid role. */
  withoutRole: string[];
  /** Controller methods that are routes, but belong to no row of the table and are not marked public. */
  undeclared: string[];
}

/** A controller method that is a route. `endpoint`: the row of the table that it handles. */
export interface HandledRoute {
  name: string;
  endpoint: string | null;
  isPublic: boolean;
}

/**
 * Compares the endpoint table with the controllers' routes.
 * @param table all endpoints by name
 * @param routes the methods of all controllers that are routes
 */
export function routeFaults(
  table: Readonly<Record<string, { role?: unknown }>>,
  routes: readonly HandledRoute[],
): RouteFaults {
  const counts = new Map<string, number>();
  for (const { endpoint } of routes) if (endpoint !== null) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
  return {
    missing: Object.keys(table).filter((name) => !counts.has(name)),
    doubled: [...counts].filter(([, count]) => count > 1).map(([name]) => name),
    withoutRole: Object.entries(table)
      .filter(([, row]) => !endpointRole.safeParse(row.role).success)
      .map(([name]) => name),
    undeclared: routes.filter(({ endpoint, isPublic }) => endpoint === null && !isPublic).map(({ name }) => name),
  };
}

/** Describes the faults in one line for whoever starts the program; null where there are none. */
export function describeRouteFaults({ missing, doubled, withoutRole, undeclared }: RouteFaults): string | null {
  const parts = [
    missing.length > 0 ? `without a handler: ${missing.join(", ")}` : "",
    doubled.length > 0 ? `with more than one handler: ${doubled.join(", ")}` : "",
    withoutRole.length > 0
      ? `without a role that may call them (viewer, reviewer, operator, admin or public): ${withoutRole.join(", ")}`
      : "",
    undeclared.length > 0
      ? `that belong to no row of the table, and so have no role, and are not marked @Public(): ${undeclared.join(", ")}`
      : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? null : `The gateway does not match its endpoint table. Endpoints ${parts.join("; ")}.`;
}
