import type { Digest } from "@web-tester/contracts/entities/digest";
import type { ChannelKind } from "@web-tester/contracts/entities/notifications";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import { databaseTime } from "@web-tester/platform/database/database-time";
import type { Logger } from "@web-tester/platform/log/logger";
import { UnreadableSecret } from "@web-tester/platform/secrets/secret-box";
import { type ChannelRow, holdChannel, selectChannel, switchOff } from "@web-tester/records/channels/channels";
import { claimDelivery, type HeldDelivery } from "@web-tester/records/deliveries/claim-delivery";
import { endTry } from "@web-tester/records/deliveries/deliveries";
import { leftToTell } from "@web-tester/watch/digest/left-to-tell";
import { listed } from "@web-tester/watch/digest/sentence";
import { type ChannelSecret, openChannel } from "./channel-secret.js";
import { mailOf } from "./mail-of.js";
import { postOf } from "./post-of.js";
import { nextTry } from "./retry-times.js";
import { sendMail } from "./send-mail.js";
import { sendPost } from "./send-post.js";
import type { Sent } from "./sent.js";
import type { SendingParts } from "./sending-parts.js";
import { setTimeout as sleep } from "node:timers/promises";

/** The lease of a message, longer than any try takes; a mail server may take two minutes to answer. */
const leaseMs = { email: 180_000, others: 60_000 };
/** How many channels are sent to at the same time, so that one that hangs does not hold up the others. */
const channelsAtOnce = 32;
/** What a message under way has to arrive when the gateway stops; the starter of a bare machine waits 5 s for all of a service. */
const stopGraceMs = 2_000;

/**
 * The least time between two messages to one channel, where a service limits them: Slack one a second, Discord 30 and Telegram
 * (groups) 20 a minute, Teams four a second.
 */
const paceMs: Readonly<Partial<Record<ChannelKind, number>>> = {
  slack: 1_000,
  discord: 2_000,
  telegram: 3_000,
  teams: 250,
};

/**
 * Sends messages that are due, one at a time per channel. After a message that arrived the next one follows at once, after a failure
 * it does not.
 */
export class Sender {
  private readonly under = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private isStopping = false;

  constructor(
    private readonly db: Database,
    private readonly log: Logger,
    private readonly parts: SendingParts,
    private readonly onArrived: () => void,
  ) {}

  /** Begins to send what is due, without waiting for the end. */
  async sendDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.isStopping && this.under.size < channelsAtOnce) {
      const held = await claimDelivery(this.db, {
        leaseMs: leaseMs.others,
        mailLeaseMs: leaseMs.email,
        busy: [...this.under.keys()],
        leftToTell,
        listed,
      });
      if (held === null) return;
      this.under.set(held.channelId, this.serve(held));
    }
  }

  private async serve(held: HeldDelivery): Promise<void> {
    let arrived = false;
    try {
      arrived = await this.send(held);
    } catch (error) {
      this.log.error({ err: error, deliveryId: held.id }, "sending a message failed");
    }
    this.under.delete(held.channelId);
    if (arrived) this.onArrived();
  }

  /**
   * Ends sending. What is under way has a moment to arrive, because it would be sent once more otherwise; then it is aborted, and tried
   * again with the same id.
   */
  async stop(): Promise<void> {
    this.isStopping = true;
    const ended = Promise.all(this.under.values());
    const waiting = new AbortController();
    await Promise.race([ended, sleep(stopGraceMs, undefined, waiting).catch(() => undefined)]);
    waiting.abort();
    this.stopping.abort();
    await ended;
  }

  /**
   * Sends one message.
   * @returns whether it arrived
   */
  private async send(held: HeldDelivery): Promise<boolean> {
    const channel = await selectChannel(this.db, held.channelId);
    if (channel === null) return false;
    const { id } = held;
    const sent = await this.attempt(withRemaining(channel, held.remaining), held);
    const { ok, status, never = false, waitMs = 0, later = [], refused = [] } = sent;
    const arrived = ok && later.length === 0;
    const isAgain = !arrived && !never;
    const nextAt = isAgain
      ? nextTry(held.attempts, held.firstAt, await databaseTime(this.db), { waitMs, random: Math.random() })
      : null;
    const heldMs = Math.max(waitMs, ok ? (paceMs[channel.kind] ?? 0) : 0);
    // has to happen before the next message of this channel can be claimed
    if (heldMs > 0) await holdChannel(this.db, channel.id, heldMs);
    const isOurs = await endTry(this.db, held, {
      arrived,
      status,
      // who was refused at an earlier try stays named, since the mail counts as sent once the others got it
      answer: held.refused.length === 0 ? sent.answer : `Refused for ${held.refused.join(", ")}. ${sent.answer}`,
      nextAt,
      remaining: ok ? later : held.remaining,
      refused: [...held.refused, ...refused],
    });
    this.log.info(
      {
        audit: "delivery",
        actor: "teller",
        deliveryId: id,
        channelId: channel.id,
        ok,
        status,
        again: nextAt !== null,
        isOurs,
      },
      "A message was sent",
    );
    if (sent.gone === true)
      await switchOff(this.db, channel.id, "The receiver answered 410: it wants no more messages.");
    return ok;
  }

  /**
   * Makes a message and sends it. One that cannot be made has failed like any other: the list of messages says so, and the tries end after
   * three days.
   */
  private async attempt(channel: ChannelRow, { id, createdAt, sections }: HeldDelivery): Promise<Sent> {
    const digest = { id, time: createdAt.toISOString(), sections };
    try {
      return await sendDigest(this.parts, channel, digest, this.stopping.signal);
    } catch (error) {
      if (this.stopping.signal.aborted) throw error;
      this.log.error({ err: error, deliveryId: id }, "making or sending a message failed");
      const why = error instanceof AppError ? error.message : "An error in the product, which the gateway's log names.";
      return { ok: false, status: null, answer: `The message could not be sent. ${why}` };
    }
  }
}

/** Limits a channel to the recipients that did not get the message yet, where others did. */
function withRemaining(channel: ChannelRow, remaining: readonly string[] | null): ChannelRow {
  if (remaining === null) return channel;
  const left = new Set(remaining.map((address) => address.toLowerCase()));
  const to = channel.settings.to.filter((address) => left.has(address.toLowerCase()));
  return { ...channel, settings: { ...channel.settings, to } };
}

/** Sends one message to a channel. */
export async function sendDigest(
  parts: SendingParts,
  channel: ChannelRow,
  digest: Digest,
  signal: AbortSignal,
): Promise<Sent> {
  if (channel.kind !== "email") {
    const secret = openOrWhy(parts, channel);
    if (typeof secret === "string") return { ok: false, status: null, answer: secret };
    return sendPost(parts.egress, postOf(channel, secret, digest, new Date()), signal);
  }
  if (parts.mail === null)
    return { ok: false, status: null, answer: "No mail server is set up: set SMTP_URL and MAIL_FROM." };
  // the remaining recipients were removed from the channel meanwhile
  if (channel.settings.to.length === 0) return { ok: true, status: null, answer: "Nobody is left to get it." };
  const mail = await mailOf(digest, channel.settings.to, parts.draw, signal);
  return sendMail(parts.open, parts.mail, mail, signal);
}

/** Returns a channel's address and secret, or why there are none, in words for whoever looks after the channel. */
function openOrWhy({ secrets }: SendingParts, { id, sealed }: ChannelRow): ChannelSecret | string {
  try {
    const secret = openChannel(secrets, id, sealed);
    return secret.url === "" ? "The channel has no address yet. Enter it, and its secret if it has one." : secret;
  } catch (error) {
    if (error instanceof UnreadableSecret) return error.message;
    throw error;
  }
}
