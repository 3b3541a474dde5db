import { auditEntry } from "@web-tester/contracts/entities/access";
import type { AuditQuery } from "../../api/access-queries.js";

/** The filter of the list, as in the address; `from` and `to` are days, "2030-01-31", in the reader's time zone. */
export interface ChangesAddress {
  readonly q: string;
  readonly who: string;
  readonly action: string;
  readonly object: string;
  readonly outcome: string;
  readonly from: string;
  readonly to: string;
}

const names = ["q", "who", "action", "object", "outcome", "from", "to"] as const;

export function readChangesAddress(search: URLSearchParams): ChangesAddress {
  const [q = "", who = "", action = "", object = "", outcome = "", from = "", to = ""] = names.map(
    (name) => search.get(name) ?? "",
  );
  return { q, who, action, object, outcome, from, to };
}

export function writeChangesAddress(search: URLSearchParams, change: Partial<ChangesAddress>): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(change)) {
    if (value === "") next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** Converts the filter to the API's query; the last day is included completely. */
export function auditQueryOf({ q, who, action, object, outcome, from, to }: ChangesAddress): AuditQuery {
  return {
    q: q || undefined,
    actor: who || undefined,
    action: action || undefined,
    testobject_id: object || undefined,
    outcome: auditEntry.shape.outcome.safeParse(outcome).data,
    from: momentOf(from, "00:00:00"),
    to: momentOf(to, "23:59:59.999"),
  };
}

function momentOf(day: string, time: string): string | undefined {
  const moment = new Date(`${day}T${time}`);
  return day === "" || Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}
