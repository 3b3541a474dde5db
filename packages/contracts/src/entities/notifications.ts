import { z } from "zod";
import { eventKind } from "./digest.js";
import { limits } from "../limits.js";
import { timeZone } from "./schedule.js";
import { count, id, type ObjectOf, timestamp } from "./vocabulary.js";
import { nameText, visibleText } from "../visible-text.js";

/**
 * The kinds of channels. `webhook`: a signed request (Standard Webhooks); names of services are presets of a request for that service;
 * `template`: a request with a custom body.
 */
export const channelKind = z.enum([
  "email",
  "webhook",
  "slack",
  "discord",
  "teams",
  "mattermost",
  "ntfy",
  "telegram",
  "template",
]);
export type ChannelKind = z.infer<typeof channelKind>;

const name = visibleText(200, "Enter a name");
const webUrl = z
  .url({ protocol: /^https?$/, error: "The address must start with https:// or http://" })
  .max(2_000)
  // requests with them are refused before they are sent, so that no message would ever arrive
  .refine((text) => {
    const url = URL.parse(text);
    return url === null || (url.username === "" && url.password === "");
  }, "Leave the user name and password out of the address: messages are sent without them");
const fields = {
  name,
  to: z
    .array(
      z
        .email("Enter a valid e-mail address")
        // RFC 5321 §4.5.3.1.1
        .refine(
          (address) => address.lastIndexOf("@") <= 64,
          "An e-mail address can have up to 64 characters before the @",
        ),
    )
    .max(50, "A channel can have up to 50 addresses")
    .describe("email: who gets it"),
  chat: z.string().trim().max(200).describe("telegram: the chat's id"),
  template: z
    .string()
    .max(20_000)
    .describe("template: the body of the request, with {{sentence}}, {{object}}, {{link}}, {{changed}} and so on"),
  enabled: z.boolean(),
  url: webUrl.describe(
    "Where messages are sent, for every kind except email. Kept encrypted and never returned, because it may contain a secret",
  ),
  secret: z
    .string()
    .max(2_000)
    .describe(
      "webhook: the signing secret (whsec_…), made where it is left out. telegram: the bot's token. ntfy: a token",
    ),
};

/** A new channel. Strict, like all calls about notifications: misspelt fields are refused. */
export const channelInput = z.strictObject({
  ...fields,
  kind: channelKind,
  to: fields.to.default([]),
  chat: fields.chat.default(""),
  template: fields.template.default(""),
  enabled: fields.enabled.default(true),
  url: fields.url.optional(),
  secret: fields.secret.optional(),
});
export type ChannelInput = z.infer<typeof channelInput>;

/** The fields of a channel to change: all but its kind. Absent fields stay, including secrets. */
export const channelPatch = z.strictObject(fields).partial();

export const channel = z
  .object({
    id,
    kind: channelKind,
    name,
    to: fields.to,
    chat: fields.chat,
    template: fields.template,
    enabled: z.boolean(),
    host: z.string().nullable().describe("The host that it sends to; the address itself is never given back"),
    fault: z.string().nullable().describe("Why it was switched off by itself"),
    failing: z
      .object({
        since: timestamp.describe("First try of the oldest message that failed"),
        status: z.int().nullable().describe("HTTP or SMTP status of the last one that failed; null: no answer came"),
        answer: z.string().describe("What the receiver answered, or why it could not be reached; without secrets"),
      })
      .nullable()
      .describe("Set while messages fail, until one arrives; null: the last one arrived, or none was tried"),
    created_at: timestamp,
  })
  .meta({ id: "Channel" });
export type Channel = z.infer<typeof channel>;

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Enter a time of day such as 09:30");
/** When messages are sent: at once, or gathered. */
const cadenceOf = (object: ObjectOf) =>
  z.discriminatedUnion("type", [
    object({ type: z.literal("at-once") }),
    object({ type: z.literal("hourly") }),
    object({ type: z.literal("daily"), at: clock, time_zone: timeZone }),
    object({ type: z.literal("weekly"), day: z.int().min(0).max(6), at: clock, time_zone: timeZone }),
  ]);
export type Cadence = z.infer<ReturnType<typeof cadenceOf>>;

const routeFieldsOf = (object: ObjectOf) => ({
  channel_id: id,
  testobject_id: id.nullable().describe("The test object it is about; null: all of them"),
  tag: nameText()
    .trim()
    .max(limits.tagMaxChars)
    .describe("Where it is about no single object: only those that have this tag; empty for all"),
  events: z.array(eventKind).min(1, "Choose at least one event").max(eventKind.options.length),
  min_pages: z.int().min(1).max(1_000_000).describe("Changes are told from so many pages on"),
  path: z.string().trim().max(1_000).describe("Only pages with this path and query, `*` for anything; empty for all"),
  text: nameText().trim().max(1_000).describe("Changes are told where a text is added or removed; empty for all"),
  failures: z.int().min(1).max(100).describe("A page's failure is told after so many in a row"),
  cadence: cadenceOf(object),
  muted_until: timestamp.nullable(),
});

function routeOf(object: ObjectOf) {
  const given = routeFieldsOf(object);
  return object({
    ...given,
    testobject_id: given.testobject_id.default(null),
    tag: given.tag.default(""),
    events: given.events.default(["changed", "new", "gone", "moved", "failing", "recovered", "unusual"]),
    min_pages: given.min_pages.default(1),
    path: given.path.default(""),
    text: given.text.default(""),
    failures: given.failures.default(1),
    cadence: given.cadence.default({ type: "at-once" }),
    muted_until: given.muted_until.default(null),
  });
}

/** A route as it is stored: which channel is told what. */
export const routeSpec = routeOf(z.object);
/** The same fields in a call (strict). */
export const routeInput = routeOf(z.strictObject);
export type RouteInput = z.infer<typeof routeSpec>;
export const routePatch = z.strictObject(routeFieldsOf(z.strictObject)).partial();

/** What a route says. A mute ends by itself: with it or without it, it is the same route. */
export const meaningOfRoute = (spec: RouteInput): string =>
  JSON.stringify(routeSpec.omit({ muted_until: true }).parse(spec));

export const route = routeSpec.extend({ id, created_at: timestamp }).meta({ id: "Route" });
export type Route = z.infer<typeof route>;

/**
 * `gathering`: more may be added until it is due; `dead`: given up, or refused for good; `told`: not sent, since other messages had told the
 * channel all of it.
 */
export const deliveryState = z.enum(["gathering", "queued", "sending", "sent", "dead", "told"]);
export type DeliveryState = z.infer<typeof deliveryState>;

export const delivery = z
  .object({
    id: id.describe("Also the id of the message, however often it is sent"),
    channel_id: id,
    channel_name: z.string(),
    state: deliveryState,
    sentence: z.string(),
    attempts: count,
    status: z.int().nullable().describe("HTTP or SMTP status of the last try"),
    answer: z.string().describe("What the receiver said, or why it could not be reached; cut"),
    next_at: timestamp
      .nullable()
      .describe(
        "When it is tried next; of one that is being sent: if its sender does not end until then, as after a crash",
      ),
    created_at: timestamp,
    sent_at: timestamp.nullable(),
  })
  .meta({ id: "Delivery" });
export type Delivery = z.infer<typeof delivery>;

/** What stands for the error of a run that cannot be told, for all but administrators. */
export const hiddenCause = "Administrators see the technical cause here.";

/** A run that ended and of which no message can be made because of an error in the product. It is tried every 15 seconds. */
export const failedTelling = z
  .object({
    run_id: id,
    testobject_id: id,
    object_name: z.string(),
    since: timestamp.describe("First time that it failed"),
    tries: count,
    why: z.string().describe("The error of the last try, cut, for administrators; for others, who can see it"),
  })
  .meta({ id: "FailedTelling" });
export type FailedTelling = z.infer<typeof failedTelling>;

/** The result of one attempt to send. */
export const sendResult = z.object({ ok: z.boolean(), status: z.int().nullable(), answer: z.string() });

/** A page of an event. */
export const eventPage = z.object({ instance_id: id, url: z.string(), said: z.string() }).meta({ id: "EventPage" });

/** Something that happened to a test object; all events have one common order. */
export const watchEvent = z
  .object({
    id: z.string().regex(/^\d+$/).describe("Grows with each event; what `after` takes"),
    testobject_id: id,
    run_id: id,
    kind: eventKind,
    said: z.string().describe("`unusual` and `silent`: what is to be said, with the section of the site"),
    pages_total: count,
    pages: z
      .array(eventPage)
      .describe("The first of them, at most 20; where there are more, GET /api/events/{id}/pages has all"),
    created_at: timestamp,
  })
  .meta({ id: "WatchEvent" });
export type WatchEvent = z.infer<typeof watchEvent>;

/** An Atom feed of events. Its address is a secret: everybody who has it can read the feed. */
export const feed = z
  .object({
    id,
    testobject_id: id.nullable().describe("The test object it is about; null: all of them"),
    created_at: timestamp,
  })
  .meta({ id: "Feed" });
export type Feed = z.infer<typeof feed>;
