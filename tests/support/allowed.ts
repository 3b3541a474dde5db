import { expect } from "@jest/globals";
import type { Product } from "./product.js";
import { until } from "./until.js";

/** The secrets of a valid share link, and of a revoked token. */
export interface AllowedSecrets {
  link: string;
  token: string;
}

/** Makes a share link, a check, and a token that is revoked again, so that the product stays open to everybody here. */
export async function allowed({ address, db, rest }: Product, objectId: string): Promise<AllowedSecrets> {
  const [newest] = await db.query<{ id: string }>(
    `SELECT id FROM test_snapshot WHERE state = 'done' ORDER BY id DESC LIMIT 1`,
  );
  const { secret } = await rest.call("createShare", { body: { kind: "snapshot", snapshot_id: newest?.id ?? "" } });
  await rest.call("startCheck", { params: { id: objectId }, body: { against: "baseline", commit: "0123abcd" } });
  const { id, token } = await rest.call("createToken", { body: { name: "Ada", role: "admin" } });
  await fetch(`${address}/api/tokens/${id}`, { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
  await until("the end of all entries", async () => {
    const [open] = await db.query<{ n: number }>(`SELECT count(*)::int AS n FROM audit_entry WHERE status IS NULL`);
    return open?.n === 0;
  });
  return { link: secret, token };
}

/**
 * Checks that permissions, the list of changes and shared links were carried over, with secrets only as hashes.
 * @param told what the product answers, by path
 */
export async function expectAllowed(
  { address, db }: Product,
  told: ReadonlyMap<string, string>,
  secrets: AllowedSecrets,
): Promise<void> {
  for (const path of ["/api/tokens", "/api/audit", "/api/shares", "/api/checks"])
    expect([path, told.get(path)]).toEqual([path, expect.stringMatching(/^200 \{"items":\[\{/)]);
  const shared = await fetch(`${address}/api/shared`, { headers: { authorization: `Bearer ${secrets.link}` } });
  expect(shared.status).toBe(200);
  const [hashed] = await db.query<{ text: string }>(
    `SELECT (SELECT string_agg(t::text, '') FROM api_token t) || (SELECT string_agg(s::text, '') FROM share_link s) AS text`,
  );
  for (const secret of Object.values(secrets)) expect(hashed?.text).not.toContain(secret);
}
