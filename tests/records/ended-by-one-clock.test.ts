import { afterAll, afterEach, beforeAll, expect, jest, test } from "@jest/globals";
import { findShare, insertShare, selectShares } from "@web-tester/records/shares/shares";
import { findToken, insertToken, selectTokens } from "@web-tester/records/tokens/tokens";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** Lists say of a link or a token what it opens, also if the clock of the process that reads them is wrong. */
let own: OwnDatabase;
let objectId: string;
let runId: string;

beforeAll(async () => {
  own = await startDatabase(2);
  const [object] = await own.db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ('A site', 'http://a.example/') RETURNING id",
  );
  objectId = object?.id ?? "";
  const [run] = await own.db.query<{ id: string }>(
    "INSERT INTO run (test_object_id, kind, state) VALUES ($1, 'snapshot-all', 'finished') RETURNING id",
    [objectId],
  );
  runId = run?.id ?? "";
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => own.stop());

const hourMs = 3_600_000;
const nothing = { kind: null, runId: null, snapshotId: null, otherId: null };

test.each([
  { clock: "ahead", byHours: 24, openHours: 2, state: "active" },
  { clock: "behind", byHours: -24, openHours: -2, state: "expired" },
])("a link and a token are $state, whatever a clock says that is $clock", async ({ byHours, openHours, state }) => {
  const { db } = own;
  const secret = `secret ${state}`;
  const expiresAt = new Date(Date.now() + openHours * hourMs).toISOString();
  const now = Date.now();
  jest.spyOn(Date, "now").mockReturnValue(now + byHours * hourMs);
  const link = await insertShare(db, {
    ...{ kind: "review", objectId, runId, snapshotId: null, otherId: null },
    ...{ secret, madeBy: "Ann", makerId: null, note: "", hours: openHours },
  });
  const token = await insertToken(db, { name: state, role: "viewer", expiresAt, madeBy: "Ann", secret });
  expect([link.state, token.state]).toEqual([state, state]);
  const listed = [...(await selectShares(db, { ...nothing, objectId }, null)), ...(await selectTokens(db))];
  expect(listed.filter(({ id }) => id === link.id || id === token.id).map((row) => row.state)).toEqual([state, state]);
  const opened = [await findShare(db, secret), await findToken(db, secret)];
  expect(opened.map((found) => found !== null)).toEqual([state === "active", state === "active"]);
});
