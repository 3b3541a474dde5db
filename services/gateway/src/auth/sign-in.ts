import { randomBytes } from "node:crypto";
import type { Session } from "@web-tester/contracts/entities/access";
import type { Database } from "@web-tester/platform/database/database";
import { deleteSignIn, deleteSignIns, insertSignIn, type SignInBy } from "@web-tester/records/sign-ins/sign-ins";
import type { Response } from "express";
import type { Actor } from "../http/actor.js";
import type { AccessPolicy } from "./access.js";
import { cookieOf } from "./credentials.js";
import { setCookie } from "./cookie.js";

const secretBytes = 32;

type CookieNames = AccessPolicy["cookies"];

/** Makes a secret for a cookie or a token: 32 random bytes as base64url. */
export const newSecret = (): string => randomBytes(secretBytes).toString("base64url");

/**
 * Signs a browser in and sets its cookie.
 * @param until when the sign-in ends at the latest
 */
export async function beginSignIn(
  db: Database,
  response: Response,
  names: CookieNames,
  { by, name, until, isSecure }: { by: SignInBy; name: string; until: Date; isSecure: boolean },
): Promise<void> {
  const secret = newSecret();
  await insertSignIn(db, { by, name, secret, until });
  const maxAgeSeconds = Math.max(1, Math.floor((until.getTime() - Date.now()) / 1_000));
  response.append(
    "Set-Cookie",
    setCookie(isSecure ? names.overTls : names.plain, secret, { maxAgeSeconds, isSecure, sameSite: "Strict" }),
  );
}

/**
 * Signs a browser out and deletes its cookie.
 * @param everywhere whether all other sign-ins of the same person or token end as well
 * @returns the ids of the sign-ins that ended
 */
export async function endSignIn(
  db: Database,
  response: Response,
  names: CookieNames,
  cookies: string | undefined,
  everywhere: boolean,
): Promise<string[]> {
  const secret = cookieOf(cookies, [names.overTls, names.plain]);
  for (const name of [names.plain, names.overTls])
    response.append(
      "Set-Cookie",
      setCookie(name, "", { maxAgeSeconds: 0, isSecure: name === names.overTls, sameSite: "Strict" }),
    );
  if (secret === null) return [];
  return everywhere ? deleteSignIns(db, secret) : [(await deleteSignIn(db, secret)) ?? []].flat();
}

/** Converts an actor to what screens are told about the session. */
export function toSession(actor: Actor | null, provider: string | null): Session {
  return {
    open: actor?.kind === "anybody",
    actor:
      actor === null
        ? null
        : {
            ...{ kind: actor.kind, name: actor.name, role: actor.role, signed_in: actor.signedIn },
            until: actor.until?.toISOString() ?? null,
          },
    provider,
  };
}
