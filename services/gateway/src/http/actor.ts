import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import type { ActorKind, ShareKind } from "@web-tester/contracts/entities/access";
import type { Role } from "@web-tester/contracts/entities/role";
import type { IncomingMessage } from "node:http";

/** What a share link opens, and nothing else. */
export interface Capability {
  kind: ShareKind;
  objectId: string;
  runId: string | null;
  snapshotId: string | null;
  otherId: string | null;
  /** Who has made the link. */
  madeBy: string;
}

/**
 * Makes an address that opens without a token until it expires: frames, pictures and stylesheets cannot send headers, and what is replayed sends
 * no cookies.
 */
export type Sign = (address: string) => string;

/** Who is asking, and what they may do. */
export interface Actor {
  kind: ActorKind;
  /** As lists show it: a token's or person's name, API_TOKEN, or the address of somebody who needs none. */
  name: string;
  role: Role;
  /** Whose things are own things: the token, or the person; null: nobody can be told apart. */
  ownerId: string | null;
  /** Tokens, sign-ins and links whose end is the end of this. */
  credentials: readonly string[];
  /** Makes addresses that open by themselves for a while, or until the credentials end; as they are where nobody needs a token. */
  sign: Sign;
  signedIn: boolean;
  until: Date | null;
  share: Capability | null;
  /** The address asked for was signed by us, for exactly this. */
  isSigned: boolean;
}

const actors = new WeakMap<IncomingMessage, Actor>();

/** Remembers who is asking, for as long as the request lives. */
export function setActor(request: IncomingMessage, actor: Actor): void {
  actors.set(request, actor);
}

/** null where nothing shows who it is. */
export function findActor(request: IncomingMessage): Actor | null {
  return actors.get(request) ?? null;
}

/** @throws Error where the request was let in without anybody: a fault of ours */
export function actorOf(request: IncomingMessage): Actor {
  const actor = actors.get(request);
  if (actor === undefined) throw new Error("A handler that needs its caller was reached without one");
  return actor;
}

/** Gives a handler what signs the addresses in its answer. */
export const Signed = createParamDecorator(
  (_: unknown, context: ExecutionContext) => actorOf(context.switchToHttp().getRequest<IncomingMessage>()).sign,
);

/** Gives a handler who is asking. */
export const By = createParamDecorator((_: unknown, context: ExecutionContext) =>
  actorOf(context.switchToHttp().getRequest<IncomingMessage>()),
);
