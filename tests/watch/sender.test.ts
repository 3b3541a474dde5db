import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { sealChannel } from "@web-tester/gateway/telling/channel-secret";
import { Sender } from "@web-tester/gateway/telling/sender";
import type { SendingParts } from "@web-tester/gateway/telling/sending-parts";
import { createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createEgress } from "@web-tester/platform/egress/egress";
import { createNames } from "@web-tester/platform/egress/names";
import { createLogger } from "@web-tester/platform/log/logger";
import { createSecretBox } from "@web-tester/platform/secrets/secret-box";
import { putChannel } from "@web-tester/records/channels/channels";
import { queueDelivery } from "@web-tester/records/deliveries/deliveries";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { until } from "../support/until.js";

/** How the messages of one channel follow one another. */
const channelId = "c0000000-0000-4000-8000-000000000001";
const messages = 12;
const going = new AbortController().signal;
const secrets = createSecretBox(Buffer.alloc(32, 7));
const policy = createAddressPolicy({
  private: "deny",
  allow: ["127.0.0.1"],
  ownAddresses: () => [],
  localAddresses: [],
});
const egress = createEgress(policy, { names: createNames() });
let own: OwnDatabase;
let receiver: Receiver;

beforeAll(async () => {
  [own, receiver] = await Promise.all([startDatabase(4), startReceiver()]);
});
afterAll(async () => {
  await Promise.all([egress.close(), receiver.close()]);
  await own.stop();
});

beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answers.clear();
  await own.db.query("DELETE FROM channel");
  await putChannel(own.db, {
    ...{ id: channelId, kind: "webhook", name: "Hook", settings: { to: [], chat: "", template: "" } },
    ...{ host: "127.0.0.1", enabled: true, fault: null },
    sealed: sealChannel(secrets, channelId, { url: `${receiver.url}/hook`, secret: `whsec_${"aa".repeat(16)}` }),
  });
  const nobody = { id: channelId, name: "Shop", url: "http://shop.test/", link: "" };
  for (let message = 0; message < messages; message++)
    await queueDelivery(own.db, {
      ...{ channelId, routeId: null, sentence: `Message ${message}`, gatherUntil: null },
      section: {
        ...{ object: nobody, run: null, changed: 0, groups_total: 0, groups: [], strange: [], notes: [] },
        ...{ new: none(), gone: none(), moved: none(), unlinked: none(), failing: none(), recovered: none() },
      },
    });
});

const none = () => ({ total: 0, pages: [] });

/** A sender whom nobody's clock tells to go on: only what has arrived does. */
function startSender(): Sender {
  const parts = { egress, secrets, mail: null, publicUrl: "" } as unknown as SendingParts;
  const sender: Sender = new Sender(own.db, createLogger("test", "silent"), parts, () => void sender.sendDue(going));
  return sender;
}

const states = async () =>
  Object.fromEntries(
    (
      await own.db.query<{ state: string; count: number }>(
        "SELECT state, count(*)::int AS count FROM delivery GROUP BY state",
      )
    ).map(({ state, count }) => [state, count]),
  );

test("a message that arrived is followed by the next", async () => {
  const sender = startSender();
  await sender.sendDue(going);
  await until("all messages", async () => (await states())["sent"] === messages);
  await sender.stop();
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(messages);
  expect(receiver.received).toHaveLength(messages);
});

test("one that did not arrive is not: a receiver in trouble is asked by the clock", async () => {
  receiver.answers.set("/hook", { status: 503 });
  const sender = startSender();
  await sender.sendDue(going);
  await until("a try", async () => (await own.db.query("SELECT FROM delivery WHERE status = 503")).length > 0);
  await sender.stop();
  expect(receiver.received).toHaveLength(1);
  expect(await states()).toEqual({ queued: messages });
});
