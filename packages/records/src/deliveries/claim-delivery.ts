import { type DigestSection, digestSection } from "@web-tester/contracts/entities/digest";
import { type ChannelKind, channelKind } from "@web-tester/contracts/entities/notifications";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { z } from "zod";

/** A message that a sender holds by its lease. */
export interface HeldDelivery {
  id: string;
  channelId: string;
  sections: DigestSection[];
  attempts: number;
  fence: number;
  /** The recipients of a mail who still have to get it; null: all of them. */
  remaining: string[] | null;
  /** The recipients of a mail who were refused for good at earlier attempts, with what the mail server said. */
  refused: string[];
  /** Time of the first attempt. */
  firstAt: Date;
  createdAt: Date;
}

/** How messages are claimed. */
export interface Claiming {
  leaseMs: number;
  /** The lease of a mail; left out: the same. */
  mailLeaseMs?: number;
  /** Channels to skip. */
  busy: readonly string[];
  /** Returns the sections that a message still has to tell; `sent`: sections of the messages of its cadence that its channel has received. */
  leftToTell: (
    sections: readonly DigestSection[],
    sent: readonly (readonly DigestSection[])[],
    kind: ChannelKind,
  ) => DigestSection[];
  /** Returns what the list of messages shows of a message. */
  listed: (sections: readonly DigestSection[]) => string;
}

/*
 * Messages that may be sent now. Channels are served in parallel, but each gets one message at a time; a sender that fell silent blocks its
 * channel until its lease ends.
 */
const due = `
  FROM delivery d JOIN channel c ON c.id = d.channel_id AND c.enabled AND (c.held_until IS NULL OR c.held_until <= now())
  WHERE d.state IN ('gathering', 'queued', 'sending') AND d.next_at <= now()
    AND NOT EXISTS (SELECT 1 FROM delivery o WHERE o.channel_id = d.channel_id AND o.state = 'sending' AND o.lease_until > now())`;

/*
 * Locks the channel whose oldest due message is next. The channel must be locked before a message of it is claimed: otherwise two senders
 * could both see that nothing is being sent to it.
 */
const lockChannel = `
  SELECT d.channel_id AS id, c.kind ${due} AND NOT d.channel_id = ANY($1::uuid[])
  ORDER BY d.next_at LIMIT 1 FOR NO KEY UPDATE OF c SKIP LOCKED`;

const take = `
  SELECT d.id, d.sections, d.whole, d.cadence ${due} AND d.channel_id = $1 ORDER BY d.id LIMIT 1 FOR UPDATE OF d SKIP LOCKED`;

const hold = `
  UPDATE delivery SET state = 'sending', attempts = attempts + 1, fence = fence + 1, first_at = coalesce(first_at, now()),
    lease_until = now() + $2 * interval '1 millisecond', next_at = now() + $2 * interval '1 millisecond',
    sections = coalesce($3::jsonb, sections), sentence = coalesce($4, sentence)
  WHERE id = $1
  RETURNING id, channel_id AS "channelId", sections, attempts, fence, remaining, refused, first_at AS "firstAt", created_at AS "createdAt"`;

/* Its sections stay as they are, so that it can still be sent. */
const leaveOut = `
  UPDATE delivery SET state = 'told', next_at = NULL, lease_until = NULL, status = NULL,
    answer = 'Other messages have told this channel all of it.'
  WHERE id = $1`;

/*
 * Messages of a cadence that reached a channel and told of one of these runs; none did before the first of the runs ended. Somebody who
 * wants a weekly summary beside what is told at once gets it whole.
 */
const arrived = `
  SELECT d.sections FROM delivery d
  WHERE d.channel_id = $1 AND d.state = 'sent' AND d.sent_at >= $2 AND d.cadence = $4
    AND EXISTS (SELECT FROM jsonb_array_elements(d.sections) s WHERE s #>> '{run,id}' = ANY($3::text[]))`;

/**
 * Claims the oldest due message of a channel to which nothing is being sent and whose receiver accepts messages now, by the database's
 * clock. Only now it is decided what is left of it: what another message of its cadence has told by then is left out. While it was gathered, that other
 * message could still have been dropped with its route, or given up.
 * @returns null when none is due
 */
export async function claimDelivery(db: Database, claiming: Claiming): Promise<HeldDelivery | null> {
  for (;;) {
    const claimed = await db.transaction((tx) => claimOne(tx, claiming));
    if (claimed !== "told") return claimed;
  }
}

async function claimOne(
  tx: Queryable,
  { leaseMs, mailLeaseMs = leaseMs, busy, leftToTell, listed }: Claiming,
): Promise<HeldDelivery | "told" | null> {
  const [channel] = await tx.query<{ id: string; kind: string }>(lockChannel, [busy]);
  if (channel === undefined) return null;
  const [taken] = await tx.query<{ id: string; sections: unknown; whole: boolean; cadence: string }>(take, [
    channel.id,
  ]);
  if (taken === undefined) return null;
  const sections = parse(taken.sections);
  const sent = taken.whole ? [] : await selectArrived(tx, channel.id, taken.cadence, sections);
  const left = sent.length === 0 ? sections : leftToTell(sections, sent, channelKind.parse(channel.kind));
  if (left.length === 0) {
    await tx.query(leaveOut, [taken.id]);
    return "told";
  }
  const isWhole = JSON.stringify(left) === JSON.stringify(sections);
  const said = isWhole ? [null, null] : [JSON.stringify(left), listed(left)];
  const heldMs = channel.kind === "email" ? mailLeaseMs : leaseMs;
  const [row] = await tx.query<Omit<HeldDelivery, "sections">>(hold, [taken.id, heldMs, ...said]);
  return row === undefined ? null : { ...row, sections: left };
}

/** Returns the sections of the messages of a cadence that a channel has received about the runs of these. */
async function selectArrived(
  tx: Queryable,
  channelId: string,
  cadence: string,
  sections: readonly DigestSection[],
): Promise<DigestSection[][]> {
  const runs = sections.flatMap(({ run }) => run ?? []);
  if (runs.length === 0) return [];
  const ended = Math.min(...runs.map(({ finished_at: at }) => Date.parse(at)));
  const ids = runs.map(({ id }) => id);
  const rows = await tx.query<{ sections: unknown }>(arrived, [channelId, new Date(ended), ids, cadence]);
  return rows.map((row) => parse(row.sections));
}

const parse = (stored: unknown): DigestSection[] => z.array(digestSection).parse(stored);
