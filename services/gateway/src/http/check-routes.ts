import { endpointRole } from "@web-tester/contracts/entities/role";

/** How the handlers of an application fail to match the endpoint table; all empty when they match. */
export interface RouteFaults {
  missing: string[];
  doubled: string[];
  /** Rows of the table whose role is none. */
  withoutRole: string[];
  /** Methods of controllers that are routes, belong to no row of the table and do not say that they are public. */
  undeclared: string[];
}

/** What is known of a method that is a route. `endpoint`: the row of the table that it handles. */
export interface HandledRoute {
  name: string;
  endpoint: string | null;
  isPublic: boolean;
}

/**
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

/** One line for the person who starts the program, or null when all is well. */
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
