import { type ChannelKind, channelKind } from "@web-tester/contracts/entities/notifications";
import type { Queryable } from "@web-tester/platform/database/database";
import { z } from "zod";

const settings = z.object({
  to: z.array(z.string()).default([]),
  chat: z.string().default(""),
  template: z.string().default(""),
});

/** A channel as it is stored. */
export interface ChannelRow {
  id: string;
  kind: ChannelKind;
  name: string;
  settings: z.infer<typeof settings>;
  /** Address and secret, encrypted (sealed) with the channel's id as context. */
  sealed: Buffer;
  host: string | null;
  enabled: boolean;
  fault: string | null;
  createdAt: Date;
}

interface StoredChannel extends Omit<ChannelRow, "kind" | "settings" | "createdAt"> {
  kind: string;
  settings: unknown;
  created_at: Date;
}

const columns = "id, kind, name, settings, sealed, host, enabled, fault, created_at";

const toRow = ({ created_at: createdAt, kind, settings: given, ...row }: StoredChannel): ChannelRow => ({
  ...row,
  kind: channelKind.parse(kind),
  settings: settings.parse(given),
  createdAt,
});

/** All channels in the order of their creation. */
export async function selectChannels(db: Queryable): Promise<ChannelRow[]> {
  return (await db.query<StoredChannel>(`SELECT ${columns} FROM channel ORDER BY created_at, id`)).map(toRow);
}

/** Returns null when there is none. */
export async function selectChannel(db: Queryable, id: string): Promise<ChannelRow | null> {
  const [row] = await db.query<StoredChannel>(`SELECT ${columns} FROM channel WHERE id = $1`, [id]);
  return row === undefined ? null : toRow(row);
}

/** Like `selectChannel`, but locks the row until the transaction ends. */
export async function lockChannel(tx: Queryable, id: string): Promise<ChannelRow | null> {
  const [row] = await tx.query<StoredChannel>(`SELECT ${columns} FROM channel WHERE id = $1 FOR NO KEY UPDATE`, [id]);
  return row === undefined ? null : toRow(row);
}

/** Inserts or updates a channel. If its host changes, `held_until` is reset: the new receiver has not asked to wait. */
export async function putChannel(tx: Queryable, row: Omit<ChannelRow, "createdAt">): Promise<ChannelRow> {
  const [kept] = await tx.query<StoredChannel>(
    `INSERT INTO channel (id, kind, name, settings, sealed, host, enabled, fault) VALUES ($1, $2, $3, $4::jsonb, $5, $6, $7, $8)
     ON CONFLICT (id) DO UPDATE SET name = $3, settings = $4::jsonb, sealed = $5, host = $6, enabled = $7, fault = $8,
       held_until = CASE WHEN channel.host IS NOT DISTINCT FROM $6 THEN channel.held_until END RETURNING ${columns}`,
    [row.id, row.kind, row.name, JSON.stringify(row.settings), row.sealed, row.host, row.enabled, row.fault],
  );
  if (kept === undefined) throw new Error("INSERT … RETURNING gave no row");
  return toRow(kept);
}

/** Switches a channel off because its receiver refuses messages for good. */
export async function switchOff(tx: Queryable, id: string, fault: string): Promise<void> {
  await tx.query(`UPDATE channel SET enabled = false, fault = $2 WHERE id = $1`, [id, fault]);
}

/** Sends nothing to a channel for so long, whatever message is next and whichever process sends it. */
export async function holdChannel(tx: Queryable, id: string, forMs: number): Promise<void> {
  await tx.query(
    `UPDATE channel SET held_until = greatest(held_until, now() + $2 * interval '1 millisecond') WHERE id = $1`,
    [id, forMs],
  );
}

/** @returns whether there was such a channel */
export async function deleteChannel(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.query(`DELETE FROM channel WHERE id = $1 RETURNING id`, [id])).length > 0;
}
