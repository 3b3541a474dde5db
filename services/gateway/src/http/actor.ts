import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import type { ActorKind, ShareKind } from "@web-tester/contracts/entities/access";
import type { Role } from "@web-tester/contracts/entities/role";
import type { IncomingMessage } from "node:http";

/** The one thing that a share link opens. */
export interface Capability {
  kind: ShareKind;
  objectId: string;
  runId: string | null;
  snapshotId: string | null;
  otherId: string | null;
  /** The name of whoever made the link. */
  madeBy: string;
  /** Whether something that it shows no longer exists. */
  isGone: boolean;
}

/**
 * Signs an address so that it opens without a token until it expires: frames, pictures and stylesheets cannot send headers, and
 * replayed pages send no cookies.
 */
export type Sign = (address: string) => string;

/** The caller of a request, and what they may do. */
export interface Actor {
  kind: ActorKind;
  /** The name for lists: a token's or person's name, API_TOKEN, or the address of somebody who needs no credentials. */
  name: string;
  role: Role;
  /** The token or person that the caller's own things belong to; null: callers cannot be told apart. */
  ownerId: string | null;
  /** Ids of the tokens, sign-ins and links whose end also ends this actor's access. */
  credentials: readonly string[];
  /**
   * Signs addresses, which then open without credentials for a while, or until the credentials end; returns them unchanged where
   * nobody needs a token.
   */
  sign: Sign;
  signedIn: boolean;
  until: Date | null;
  share: Capability | null;
  /** Whether the requested address itself carries our signature, which covers exactly this request. */
  isSigned: boolean;
}

const actors = new WeakMap<IncomingMessage, Actor>();

/** Remembers the caller of a request for as long as the request lives. */
export function setActor(request: IncomingMessage, actor: Actor): void {
  actors.set(request, actor);
}

/** The caller of a request; null where nothing identifies them. */
export function findActor(request: IncomingMessage): Actor | null {
  return actors.get(request) ?? null;
}

/**
 * The caller of a request that was let in.
 * @throws Error where there is none, which is a fault of ours
 */
export function actorOf(request: IncomingMessage): Actor {
  const actor = actors.get(request);
  if (actor === undefined) throw new Error("A handler that needs its caller was reached without one");
  return actor;
}

/** Injects into a handler the function that signs the addresses in its answer. */
export const Signed = createParamDecorator(
  (_: unknown, context: ExecutionContext) => actorOf(context.switchToHttp().getRequest<IncomingMessage>()).sign,
);

/** Injects into a handler the caller of the request. */
export const By = createParamDecorator((_: unknown, context: ExecutionContext) =>
  actorOf(context.switchToHttp().getRequest<IncomingMessage>()),
);
