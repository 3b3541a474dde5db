import type { Queryable } from "@web-tester/platform/database/database";

/** How messages to a channel fail. `since`: first try of the oldest that failed; `status` and `answer`: of the one that was tried first most recently. */
export interface ChannelFailing {
  since: Date;
  status: number | null;
  answer: string;
}

/* Messages that were first tried after the last one arrived, and failed. One that is being sent has failed only if this is not its first try. */
const failing = `
  WITH arrived AS (
    SELECT channel_id, max(sent_at) AS at FROM delivery
    WHERE state = 'sent' AND ($1::uuid IS NULL OR channel_id = $1) GROUP BY channel_id
  )
  SELECT DISTINCT ON (d.channel_id) d.channel_id AS "channelId", min(d.first_at) OVER (PARTITION BY d.channel_id) AS since, d.status, d.answer
  FROM delivery d LEFT JOIN arrived a ON a.channel_id = d.channel_id
  WHERE ($1::uuid IS NULL OR d.channel_id = $1) AND (d.status IS NOT NULL OR d.answer <> '')
    AND (d.state IN ('queued', 'dead') OR d.state = 'sending' AND d.attempts > 1)
    AND d.first_at > coalesce(a.at, '-infinity')
  ORDER BY d.channel_id, d.first_at DESC, d.id DESC`;

/**
 * Finds the channels whose messages fail, by channel id: none has arrived since.
 * @param channelId only this channel; null for all
 */
export async function selectFailing(db: Queryable, channelId: string | null): Promise<Map<string, ChannelFailing>> {
  const rows = await db.query<ChannelFailing & { channelId: string }>(failing, [channelId]);
  return new Map(rows.map(({ channelId: id, ...how }) => [id, how]));
}
