import { api, type EndpointName } from "@web-tester/contracts/api";
import { session } from "@web-tester/contracts/entities/access";
import type { Role } from "@web-tester/contracts/entities/role";
import type { Database } from "@web-tester/platform/database/database";
import type { Logger } from "@web-tester/platform/log/logger";
import { endAudit, insertAudit } from "@web-tester/records/audit/audit";
import type { Request, Response } from "express";
import { z } from "zod";
import type { Actor } from "../http/actor.js";
import { subjectOfPath } from "../http/endpoint-facts.js";

/** Calls of strangers change nothing: only this many a minute are written down, so that nobody can flood the list. */
const strangersPerMinute = 60;
const uuid = z.uuid();

/** Writes changes into the list of who changed what. */
export class Audit {
  private readonly writing = new Set<Promise<void>>();
  private strangers = { since: 0, count: 0 };

  constructor(
    private readonly db: Database,
    private readonly log: Pick<Logger, "error">,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Writes down that a change is asked for before anything is changed, and, afterwards, how it ended.
   * @param actor null: a stranger
   * @throws AppError unavailable where it cannot be written: a change that leaves no entry is not made
   */
  async begin(request: Request, response: Response, name: EndpointName, actor: Actor | null): Promise<void> {
    if (actor === null && this.isTooMuch()) return;
    const row = api[name];
    const subjectId = uuid.safeParse(request.params["id"]);
    const id = await insertAudit(this.db, {
      actor: actor?.name ?? "nobody known",
      actorKind: actor?.kind ?? "stranger",
      actorId: actor?.ownerId ?? null,
      role: actor?.role ?? null,
      address: request.socket.remoteAddress ?? "unknown",
      action: name,
      subjectKind: row.path.includes("{id}") ? subjectOfPath(row.path) : null,
      subjectId: subjectId.success ? subjectId.data : null,
    });
    let answer: unknown;
    const json = response.json.bind(response);
    response.json = (body: unknown) => json((answer = body));
    const end = (): void => {
      const status = response.writableFinished ? response.statusCode : 499;
      const ending = { status, ...saidBy(answer), fields: fieldsOf(name, request.body) };
      // who signs in is known only once they have
      const signedIn = name === "signIn" && status < 400 ? (session.safeParse(answer).data?.actor ?? null) : null;
      const writing = endAudit(this.db, id, { ...ending, signedIn })
        .catch((error: unknown) => this.log.error({ err: error, entry: id }, "how a change ended could not be written"))
        .finally(() => this.writing.delete(writing));
      this.writing.add(writing);
    };
    if (response.destroyed) end();
    else response.once("close", end);
  }

  /**
   * Writes down that a person signed in at the identity provider.
   * @throws AppError unavailable
   */
  async noteSignIn(request: Request, { id, name, role }: { id: string; name: string; role: Role }): Promise<void> {
    const entry = await insertAudit(this.db, {
      ...{ actor: name, actorKind: "person", actorId: id, role, action: "signIn", subjectKind: null, subjectId: null },
      address: request.socket.remoteAddress ?? "unknown",
    });
    await endAudit(this.db, entry, { status: 200, code: null, madeId: null, fields: [], signedIn: null });
  }

  /** Waits until pending entries are written. */
  async flush(): Promise<void> {
    await Promise.all(this.writing);
  }

  private isTooMuch(): boolean {
    const now = this.now();
    if (now - this.strangers.since > 60_000) this.strangers = { since: now, count: 0 };
    this.strangers.count += 1;
    return this.strangers.count > strangersPerMinute;
  }
}

/** Reads from an answer the id of what was made or begun, and the error code of a refusal. */
function saidBy(answer: unknown): { code: string | null; madeId: string | null } {
  const read = (name: string): string | null => {
    const value: unknown = typeof answer === "object" && answer !== null ? Reflect.get(answer, name) : undefined;
    return typeof value === "string" ? value.slice(0, 100) : null;
  };
  const made = uuid.safeParse(read("id") ?? read("runId") ?? read("testsnapshotId") ?? read("jobId"));
  return { code: read("code"), madeId: made.success ? made.data : null };
}

/** The names of the body's fields that the call knows; unknown names could hold anything and are left out. */
function fieldsOf(name: EndpointName, body: unknown): string[] {
  const { body: schema } = api[name];
  if (typeof body !== "object" || body === null || !(schema instanceof z.ZodObject)) return [];
  const known = Object.keys(schema.shape);
  return Object.keys(body).filter((key) => known.includes(key));
}
