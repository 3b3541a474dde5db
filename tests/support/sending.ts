import type { DigestSection } from "@web-tester/contracts/entities/digest";
import { sealChannel } from "@web-tester/gateway/notifications/channel-secret";
import type { MailServer } from "@web-tester/gateway/notifications/send-mail";
import { Sender } from "@web-tester/gateway/notifications/sender";
import type { SendingParts } from "@web-tester/gateway/notifications/sending-parts";
import { createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createEgress } from "@web-tester/platform/egress/egress";
import { createNames } from "@web-tester/platform/egress/names";
import { createSocketOpener } from "@web-tester/platform/egress/open-socket";
import { createLogger } from "@web-tester/platform/log/logger";
import { createSecretBox } from "@web-tester/platform/secrets/secret-box";
import { putChannel } from "@web-tester/records/channels/channels";
import { queueDelivery } from "@web-tester/records/deliveries/deliveries";
import { type OwnDatabase, startDatabase } from "./database.js";
import { type Receiver, startReceiver } from "./receiver.js";

/** A database with one channel, whose messages go to `/hook` of a receiver. */
export interface Sending {
  own: OwnDatabase;
  receiver: Receiver;
  /** Resets the channel to its initial state, without messages. */
  reset(): Promise<void>;
  /**
   * Queues messages of the channel that are due at once.
   * @param gathered by which route, and until when
   */
  queue(count: number, gathered?: { routeId: string; gatherUntil: Date }): Promise<void>;
  /**
   * Makes a sender like the one in a gateway.
   * @param onArrived is called when the next message may be sent @param mail the server for mails
   */
  sender(onArrived?: () => void, mail?: MailServer): Sender;
  stop(): Promise<void>;
}

const channelId = "c0000000-0000-4000-8000-000000000001";
const none = () => ({ total: 0, pages: [] });

/** What a message says about a site of which so many pages changed. */
export function exampleSection(changed: number): DigestSection {
  return {
    object: { id: channelId, name: "Shop", url: "http://shop.test/", link: "" },
    ...{ run: null, changed, groups_total: 0, groups: [], strange: [], notes: [] },
    ...{ new: none(), gone: none(), moved: none(), unlinked: none(), failing: none(), recovered: none() },
  };
}

/**
 * Starts the database and the receiver.
 * @param connections at most, to the database
 */
export async function startSending(connections: number): Promise<Sending> {
  const secrets = createSecretBox(Buffer.alloc(32, 7));
  const policy = createAddressPolicy({
    ...{ private: "deny", allow: ["127.0.0.1"] },
    ...{ ownAddresses: () => [], localAddresses: [] },
  });
  const egress = createEgress(policy, { names: createNames() });
  const [own, receiver] = await Promise.all([startDatabase(connections), startReceiver()]);
  return {
    own,
    receiver,
    async reset() {
      receiver.received.length = 0;
      receiver.answers.clear();
      await own.db.query("DELETE FROM channel");
      await putChannel(own.db, {
        ...{ id: channelId, kind: "webhook", name: "Hook", settings: { to: [], chat: "", template: "" } },
        ...{ host: "127.0.0.1", enabled: true, fault: null },
        sealed: sealChannel(secrets, channelId, { url: `${receiver.url}/hook`, secret: `whsec_${"aa".repeat(16)}` }),
      });
    },
    async queue(count, gathered) {
      for (let message = 0; message < count; message++)
        await queueDelivery(own.db, {
          ...{
            channelId,
            routeId: null,
            cadence: "at-once" as const,
            gatherUntil: null,
            ...gathered,
            sentence: `Message ${message}`,
          },
          section: exampleSection(message),
        });
    },
    sender(onArrived = () => undefined, mail) {
      const open = createSocketOpener(policy, createNames());
      const parts: SendingParts = {
        ...{ egress, open, secrets, mail: mail ?? null, publicUrl: "" },
        draw: () => Promise.resolve(null),
      };
      return new Sender(own.db, createLogger("test", "silent"), parts, onArrived);
    },
    async stop() {
      await Promise.all([egress.close(), receiver.close()]);
      await own.stop();
    },
  };
}
