import type { DigestSection } from "@web-tester/contracts/entities/digest";
import { type Cadence, type Delivery, deliveryState, type Route } from "@web-tester/contracts/entities/notifications";
import type { Queryable } from "@web-tester/platform/database/database";
import { isClockSure } from "../installation/sure-clock.js";
import type { HeldDelivery } from "./claim-delivery.js";

/** The most sections of one gathered message; later ones are gathered in a new message. */
const sectionsMax = 50;

/** A message to be queued. */
export interface NewDelivery {
  channelId: string;
  routeId: string | null;
  cadence: Cadence["type"];
  section: DigestSection;
  sentence: string;
  /** When the gathered message is due; null: send it at once. */
  gatherUntil: Date | null;
}

const insert = `
  INSERT INTO delivery (channel_id, route_id, state, sections, sentence, next_at, cadence)
  VALUES ($1, $2, $3, jsonb_build_array($4::jsonb), $5, coalesce($6, now()), $7)`;
const gather = `${insert}
  ON CONFLICT (route_id) WHERE state = 'gathering' DO UPDATE SET
    sections = delivery.sections || excluded.sections, cadence = excluded.cadence,
    sentence = CASE WHEN length(delivery.sentence) < 500 THEN delivery.sentence || ' · ' || excluded.sentence ELSE delivery.sentence END`;

/* A full message stays queued for its time without its route, so that the route gathers in a new one. */
const part = `
  UPDATE delivery SET route_id = NULL
  WHERE route_id = $1 AND state = 'gathering' AND jsonb_array_length(sections) >= ${sectionsMax}`;

/* Makes the oldest queued message of a channel due by a given time at the latest; null: now. A locked message is skipped. */
const oldestBy = `
  UPDATE delivery SET next_at = coalesce($2, now()) WHERE next_at > coalesce($2, now()) AND id = (
    SELECT id FROM delivery WHERE channel_id = $1 AND state = 'queued' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)`;
const allNow = `UPDATE delivery SET next_at = now() WHERE channel_id = $1 AND state = 'queued' AND next_at > now()`;

/**
 * Queues a message, or adds it to the one that its route gathers. Older messages that have not reached the channel are tried before it, so
 * that nobody is told that a page is back, and an hour later that it fails.
 */
export async function queueDelivery(tx: Queryable, delivery: NewDelivery): Promise<void> {
  const { channelId, routeId, cadence, section, sentence, gatherUntil } = delivery;
  const isGathered = gatherUntil !== null;
  if (isGathered) await tx.query(part, [routeId]);
  await tx.query(isGathered ? gather : insert, [
    channelId,
    routeId,
    isGathered ? "gathering" : "queued",
    JSON.stringify(section),
    sentence,
    gatherUntil,
    cadence,
  ]);
  if (!isGathered) await tx.query(oldestBy, [channelId, null]);
}

const readdress = `
  UPDATE delivery SET channel_id = $2, cadence = $3, next_at = CASE WHEN $4 THEN coalesce($5, now()) ELSE next_at END
  WHERE route_id = $1 AND state = 'gathering'`;

/**
 * Has the gathered message of a route sent to the channel that the route has now, and in its rhythm.
 * @param until when the message is due, if the rhythm is another one: null, at once; undefined: as before
 */
export async function readdressGathered(
  tx: Queryable,
  { id, channel_id: channelId, cadence }: Pick<Route, "id" | "channel_id" | "cadence">,
  until: Date | null | undefined,
): Promise<void> {
  await tx.query(readdress, [id, channelId, cadence.type, until !== undefined, until ?? null]);
}

/** Drops the gathered message of a route that reports nothing any more. */
export async function dropGathered(tx: Queryable, routeId: string): Promise<void> {
  await tx.query(`DELETE FROM delivery WHERE route_id = $1 AND state = 'gathering'`, [routeId]);
}

/**
 * The result of an attempt. `nextAt`: when it is retried; null when it arrived, or is given up. `remaining`: the recipients of a mail who
 * still have to get it; `refused`: those who were refused for good so far, with what the mail server said.
 */
export interface TryEnd {
  arrived: boolean;
  status: number | null;
  answer: string;
  nextAt: Date | null;
  remaining: string[] | null;
  refused: string[];
}

const end = `
  UPDATE delivery SET state = $3, status = $4, answer = left($5, 500), next_at = $6, lease_until = NULL,
    remaining = CASE WHEN $3 <> 'sent' THEN $7::text[] END, refused = CASE WHEN $3 <> 'sent' THEN $8::text[] ELSE '{}' END, whole = whole AND $3 = 'queued', sent_at = CASE WHEN $3 = 'sent' THEN now() END
  WHERE id = $1 AND fence = $2 AND state = 'sending' RETURNING id`;

/**
 * Records the result of an attempt. If it arrived, all queued messages of the channel are due now; if it is retried, the channel's oldest
 * message is tried first.
 * @returns false when another sender holds the message by now
 */
export async function endTry(db: Queryable, { id, channelId, fence }: HeldDelivery, result: TryEnd): Promise<boolean> {
  const state = result.arrived ? "sent" : result.nextAt === null ? "dead" : "queued";
  const rows = await db.query(end, [
    ...[id, fence, state, result.status, result.answer, result.nextAt, result.remaining, result.refused],
  ]);
  if (rows.length === 0) return false;
  if (result.arrived) await db.query(allNow, [channelId]);
  else if (result.nextAt !== null) await db.query(oldestBy, [channelId, result.nextAt]);
  return true;
}

/** Queues a message to be sent again, or now, with all that it tells, whatever other messages told. @returns false when it is being sent, or does not exist */
export async function sendAgain(tx: Queryable, id: string): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE delivery SET state = 'queued', attempts = 0, first_at = NULL, next_at = now(), whole = true WHERE id = $1 AND state <> 'sending' RETURNING id`,
    [id],
  );
  return rows.length > 0;
}

const columns = `d.id, d.channel_id, c.name AS channel_name, d.state, d.sentence, d.attempts, d.status, d.answer,
  CASE WHEN d.state IN ('gathering', 'queued') THEN greatest(d.next_at, c.held_until) WHEN d.state = 'sending' THEN d.lease_until END AS next_at, d.created_at, d.sent_at`;

type Stored = Omit<Delivery, "state" | "next_at" | "created_at" | "sent_at"> & {
  state: string;
  next_at: Date | null;
  created_at: Date;
  sent_at: Date | null;
};

const toDelivery = ({ state, next_at: next, created_at: created, sent_at: sent, ...row }: Stored): Delivery => ({
  ...row,
  state: deliveryState.parse(state),
  next_at: next?.toISOString() ?? null,
  created_at: created.toISOString(),
  sent_at: sent?.toISOString() ?? null,
});

/** Lists messages, newest first. @param before id of the last message of the previous part */
export async function selectDeliveries(
  db: Queryable,
  state: string | null,
  before: string | null,
  limit: number,
): Promise<Delivery[]> {
  const rows = await db.query<Stored>(
    `SELECT ${columns} FROM delivery d JOIN channel c ON c.id = d.channel_id
     WHERE ($1::text IS NULL OR d.state = $1) AND ($2::uuid IS NULL OR d.id < $2) ORDER BY d.id DESC LIMIT $3`,
    [state, before, limit],
  );
  return rows.map(toDelivery);
}

/** Returns null when there is none. */
export async function selectDelivery(db: Queryable, id: string): Promise<Delivery | null> {
  const [row] = await db.query<Stored>(
    `SELECT ${columns} FROM delivery d JOIN channel c ON c.id = d.channel_id WHERE d.id = $1`,
    [id],
  );
  return row === undefined ? null : toDelivery(row);
}

/** Forgets messages that arrived, were given up or had nothing left to tell, after so many days by the database's clock. @returns how many */
export async function forgetDeliveries(db: Queryable, days: number): Promise<number> {
  const rows = await db.query(
    `DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE state IN ('sent', 'dead', 'told') AND created_at < now() - $1::int * interval '1 day' AND ${isClockSure} LIMIT 1000) RETURNING id`,
    [days],
  );
  return rows.length;
}
