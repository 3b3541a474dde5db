import { randomUUID } from "node:crypto";
import { meaningOfRoute, channelInput, type RouteInput, routeSpec } from "@web-tester/contracts/entities/notifications";
import type { Queryable } from "@web-tester/platform/database/database";
import { type ChannelRow, putChannel, selectChannels } from "@web-tester/records/channels/channels";
import { putRoute, selectRoutes } from "@web-tester/records/channels/routes";
import { z } from "zod";

const routesMax = 1_000;
const channelsMax = 200;

/** A route as files contain it: with its channel, whose address and secret are never exported. */
export const routeOfAllRecord = routeSpec.omit({ channel_id: true, testobject_id: true }).extend({
  channel: channelInput.pick({ kind: true, name: true, to: true, chat: true, template: true }).strip(),
});
/** A route for a single object. */
export const routeRecord = routeOfAllRecord.omit({ tag: true });

/** What imported routes cover: an object with its tags, or all objects. */
export interface RoutesAbout {
  objectId: string | null;
  tags: readonly string[];
  /** Its name in messages. */
  name: string;
}

const noAddress = "Imported without its address and secrets. Enter them and switch it on.";
const noConsent = "Imported and switched off. Check it, then switch it on.";

/**
 * Imports the routes that an object does not have yet, of its own or by its tags. An existing channel of the same kind and name is
 * used, or a new one is made that is switched off: a file must not decide who is notified.
 * @param routes the object's, in the form of files
 * @returns sentences for people about what was imported
 */
export async function importRoutes(
  tx: Queryable,
  { objectId, tags, name }: RoutesAbout,
  routes: unknown,
): Promise<string[]> {
  const given = z.array(routeOfAllRecord).default([]).parse(routes);
  if (given.length === 0) return [];
  const channels = await selectChannels(tx);
  const known = await selectRoutes(tx);
  // for an object's route it does not matter by which tag it covers the object
  const meaningOf = (channelId: string, spec: RouteInput) =>
    meaningOfRoute({ ...spec, channel_id: channelId, testobject_id: null, tag: objectId === null ? spec.tag : "" });
  const meanings = new Set(
    known
      .filter(({ testobject_id: about, tag }) =>
        objectId === null
          ? about === null
          : about === objectId || (about === null && (tag === "" || tags.includes(tag))),
      )
      .map((route) => meaningOf(route.channel_id, routeSpec.parse(route))),
  );
  let made = 0;
  let routesLeft = routesMax - known.length;
  let refused = 0;
  for (const { channel: wanted, ...spec } of given) {
    let channel = channels.find((one) => one.kind === wanted.kind && one.name === wanted.name);
    if (routesLeft <= 0 || (channel === undefined && channels.length >= channelsMax)) {
      refused++;
      continue;
    }
    if (channel === undefined) {
      channel = await putChannel(tx, channelOf(wanted));
      channels.push(channel);
      made++;
    }
    const input = routeSpec.parse({ ...spec, channel_id: channel.id, testobject_id: objectId });
    if (meanings.has(meaningOf(channel.id, input))) continue;
    meanings.add(meaningOf(channel.id, input));
    await putRoute(tx, null, input);
    routesLeft--;
  }
  return wordsOf(name, made, refused);
}

function wordsOf(name: string, made: number, refused: number): string[] {
  return [
    ...(made === 0
      ? []
      : [
          `${name}: ${made === 1 ? "a channel" : `${made} channels`} of its routes ${made === 1 ? "is" : "are"} switched off, because export files do not contain addresses and secrets of channels. Complete ${made === 1 ? "it" : "them"} under Notifications.`,
        ]),
    ...(refused === 0
      ? []
      : [
          `${name}: ${refused} of its routes were not imported, because there are already ${routesMax} routes or ${channelsMax} channels. Remove some and import the file again.`,
        ]),
  ];
}

function channelOf({
  kind,
  name,
  to,
  chat,
  template,
}: z.infer<typeof routeOfAllRecord>["channel"]): Omit<ChannelRow, "createdAt"> {
  const kept = { id: randomUUID(), kind, name, settings: { to, chat, template } };
  return {
    ...kept,
    sealed: Buffer.alloc(0),
    host: null,
    enabled: false,
    fault: kind === "email" ? noConsent : noAddress,
  };
}
