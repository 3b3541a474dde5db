import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { MailServer } from "@web-tester/gateway/notifications/send-mail";
import { SMTPServer } from "smtp-server";
import { type Sending, startSending } from "../support/sending.js";
import { until } from "../support/until.js";

/** Mails to several people, some of whom the mail server accepts at once and some only later. */
const going = new AbortController().signal;
const people = ["anna@example.org", "Berta@example.org", "carl@example.org"];
/** The recipients of each mail that the server accepted. */
const taken: string[][] = [];
const refused = new Map<string, number>();
let sending: Sending;
let smtp: SMTPServer;
let mail: MailServer;

beforeAll(async () => {
  sending = await startSending(2);
  smtp = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    onRcptTo: ({ address }, _, done) => {
      const responseCode = refused.get(address);
      done(responseCode === undefined ? null : Object.assign(new Error("no"), { responseCode }));
    },
    onData: (stream, { envelope }, done) => {
      taken.push(envelope.rcptTo.map(({ address }) => address));
      stream.on("end", () => done()).resume();
    },
  });
  await new Promise<void>((resolve) => void smtp.listen(0, "127.0.0.1", resolve));
  const { port } = smtp.server.address() as AddressInfo;
  mail = { host: "127.0.0.1", port, security: "none", user: "", password: "", from: "tester@example.org" };
});
afterAll(async () => {
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
  await sending.stop();
});

async function begin(): Promise<void> {
  taken.length = 0;
  refused.clear();
  await sending.reset();
  await sending.own.db.query("UPDATE channel SET kind = 'email', settings = $1::jsonb", [
    JSON.stringify({ to: people }),
  ]);
  await sending.queue(1);
}

/** Makes waiting messages due, and waits until an attempt to send was made. */
async function send(): Promise<{ state: string; answer: string }> {
  const { db } = sending.own;
  await db.query("UPDATE delivery SET next_at = now() WHERE state = 'queued'");
  const [before] = await db.query<{ attempts: number }>("SELECT attempts FROM delivery");
  const sender = sending.sender(undefined, mail);
  await sender.sendDue(going);
  await until("a try", async () => {
    const [now] = await db.query<{ attempts: number }>("SELECT attempts FROM delivery WHERE state <> 'sending'");
    return now?.attempts === (before?.attempts ?? 0) + 1;
  });
  await sender.stop();
  const [row] = await db.query<{ state: string; answer: string }>("SELECT state, answer FROM delivery");
  return row ?? { state: "gone", answer: "" };
}

test("who was not taken for the time being gets the mail later, and nobody gets it twice", async () => {
  await begin();
  refused.set("Berta@example.org", 450).set("carl@example.org", 452);
  expect(await send()).toEqual({
    state: "queued",
    answer: "Not taken yet for Berta@example.org (450 no), carl@example.org (452 no)",
  });
  refused.delete("carl@example.org");
  expect(await send()).toEqual({ state: "queued", answer: "Not taken yet for Berta@example.org (450 no)" });
  expect(await send()).toMatchObject({ state: "queued" });
  refused.clear();
  expect(await send()).toMatchObject({ state: "sent" });
  expect(taken).toEqual([["anna@example.org"], ["carl@example.org"], ["Berta@example.org"]]);
});

test("who is refused for good stays named when the others have got the mail", async () => {
  await begin();
  refused.set("anna@example.org", 550).set("carl@example.org", 450);
  expect(await send()).toEqual({
    state: "queued",
    answer: "Refused for anna@example.org (550 no). Not taken yet for carl@example.org (450 no)",
  });
  expect(await send()).toEqual({
    state: "queued",
    answer: expect.stringMatching(/^Refused for anna@example\.org \(550 no\)\. .*all recipients were rejected/),
  });
  refused.delete("carl@example.org");
  expect(await send()).toEqual({
    state: "sent",
    answer: expect.stringMatching(/^Refused for anna@example\.org \(550 no\)\. 250/),
  });
  expect(taken).toEqual([["Berta@example.org"], ["carl@example.org"]]);
});

test("a mail that none was taken of is tried for all of them", async () => {
  await begin();
  for (const address of people) refused.set(address, 450);
  expect(await send()).toMatchObject({ state: "queued" });
  refused.clear();
  expect(await send()).toMatchObject({ state: "sent" });
  expect(taken).toEqual([people]);
});

test("who was taken out of the channel meanwhile is not written to", async () => {
  await begin();
  refused.set("carl@example.org", 450);
  await send();
  await sending.own.db.query("UPDATE channel SET settings = $1::jsonb", [JSON.stringify({ to: ["anna@example.org"] })]);
  refused.clear();
  expect(await send()).toEqual({ state: "sent", answer: "Nobody is left to get it." });
  expect(taken).toHaveLength(1);
});
