import type { Digest } from "@web-tester/contracts/entities/digest";
import type { ChannelRow } from "@web-tester/records/channels/channels";
import {
  type Post,
  toDiscord,
  toMattermost,
  toNtfy,
  toSlack,
  toTeams,
  toTelegram,
  toWebhook,
} from "@web-tester/watch/digest/posts";
import { fromTemplate } from "@web-tester/watch/digest/template";
import { Webhook } from "standardwebhooks";
import type { ChannelSecret } from "./channel-secret.js";
import type { PostRequest } from "./send-post.js";

/** Makes the request that notifies a channel of any kind but mail. */
export function postOf(channel: ChannelRow, { url, secret }: ChannelSecret, digest: Digest, now: Date): PostRequest {
  const { body, headers } = written(channel, digest);
  return {
    url: addressOf(channel, url, secret),
    body,
    headers: { ...headers, "user-agent": "web-tester", ...proofOf(channel, secret, { id: digest.id, body, now }) },
  };
}

function written({ kind, settings }: ChannelRow, digest: Digest): Post {
  switch (kind) {
    case "slack":
      return toSlack(digest);
    case "discord":
      return toDiscord(digest);
    case "teams":
      return toTeams(digest);
    case "mattermost":
      return toMattermost(digest);
    case "ntfy":
      return toNtfy(digest);
    case "telegram":
      return toTelegram(digest, settings.chat);
    case "template":
      return fromTemplate(settings.template, digest);
    case "webhook":
    case "email":
      return toWebhook(digest);
  }
}

/** The address to send to; for Telegram the bot's token is part of the path. */
function addressOf({ kind }: ChannelRow, url: string, secret: string): URL {
  return kind === "telegram" ? new URL(`/bot${encodeURIComponent(secret)}/sendMessage`, url) : new URL(url);
}

/** The headers that prove the sender to the receiver: a signature over id, time and body, or a token. */
function proofOf(
  { kind }: ChannelRow,
  secret: string,
  { id, body, now }: { id: string; body: string; now: Date },
): Record<string, string> {
  if (kind === "ntfy") return secret === "" ? {} : { authorization: `Bearer ${secret}` };
  if ((kind !== "webhook" && kind !== "template") || secret === "") return {};
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, now, body),
  };
}
