import type { Queryable } from "@web-tester/platform/database/database";

/** How messages to a channel fail. `since`: first try of the oldest that failed; `status` and `answer`: of the one that was tried first most recently. */
export interface ChannelFailing {
  since: Date;
  status: number | null;
  answer: string;
}

/* Messages of a channel that were first tried after the last one arrived, and failed. One that is being sent has failed only if this is not its first try. */
const failed = `
  FROM delivery d WHERE d.channel_id = c.id AND d.state IN ('queued', 'sending', 'dead') AND d.first_at > arrived.at
    AND (d.state <> 'sending' OR d.attempts > 1) AND (d.status IS NOT NULL OR d.answer <> '')`;

/* For each channel three looks into an index, however many messages it has had. */
const failing = `
  SELECT c.id AS "channelId", oldest.first_at AS since, newest.status, newest.answer
  FROM channel c
  CROSS JOIN LATERAL (
    SELECT coalesce(max(sent_at), '-infinity') AS at FROM delivery WHERE channel_id = c.id AND state = 'sent') arrived
  CROSS JOIN LATERAL (SELECT d.first_at ${failed} ORDER BY d.first_at LIMIT 1) oldest
  CROSS JOIN LATERAL (SELECT d.status, d.answer ${failed} ORDER BY d.first_at DESC, d.id DESC LIMIT 1) newest
  WHERE $1::uuid IS NULL OR c.id = $1`;

/**
 * Finds the channels whose messages fail, by channel id: none has arrived since.
 * @param channelId only this channel; null for all
 */
export async function selectFailing(db: Queryable, channelId: string | null): Promise<Map<string, ChannelFailing>> {
  const rows = await db.query<ChannelFailing & { channelId: string }>(failing, [channelId]);
  return new Map(rows.map(({ channelId: id, ...how }) => [id, how]));
}
