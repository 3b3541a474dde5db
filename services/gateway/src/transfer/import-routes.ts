import { randomUUID } from "node:crypto";
import { channelInput, routeInput } from "@web-tester/contracts/entities/telling";
import type { Queryable } from "@web-tester/platform/database/database";
import { type ChannelRow, putChannel, selectChannels } from "@web-tester/records/channels/channels";
import { putRoute, selectRoutes } from "@web-tester/records/channels/routes";
import { z } from "zod";

const routesMax = 1_000;
const channelsMax = 200;

/** A route as a file has it: with its channel, of which files carry neither address nor secret. */
export const routeRecord = routeInput.omit({ channel_id: true, testobject_id: true, tag: true }).extend({
  channel: channelInput.pick({ kind: true, name: true, to: true, chat: true, template: true }),
});
type RouteRecord = z.infer<typeof routeRecord>;

const noAddress = "It came with an import, without its address and secrets. Enter them and switch it on.";
const noConsent = "It came with an import. Switch it on where it is right.";

/**
 * Routes that the object does not have yet. A channel of the same kind and name is taken; another is made, switched off: a file does not
 * decide who is told.
 * @param routes the object's, as a file has them
 * @returns what is to be said of it
 */
export async function importRoutes(tx: Queryable, objectId: string, name: string, routes: unknown): Promise<string[]> {
  const given = z.array(routeRecord).default([]).parse(routes);
  if (given.length === 0) return [];
  const channels = await selectChannels(tx);
  const known = await selectRoutes(tx);
  const meanings = new Set(
    known
      .filter(({ testobject_id: about }) => about === objectId)
      .map((route) => meaning(route.channel_id, routeInput.parse(route))),
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
    const input = routeInput.parse({ ...spec, channel_id: channel.id, testobject_id: objectId });
    if (meanings.has(meaning(channel.id, input))) continue;
    meanings.add(meaning(channel.id, input));
    await putRoute(tx, null, input);
    routesLeft--;
  }
  return [
    ...(made === 0
      ? []
      : [
          `“${name}”: ${made === 1 ? "a channel" : `${made} channels`} of its routes came switched off, for files carry no addresses and no secrets of channels. Complete ${made === 1 ? "it" : "them"} under Notifications.`,
        ]),
    ...(refused === 0
      ? []
      : [
          `“${name}”: ${refused} of its routes were left out, for there are ${routesMax} routes or ${channelsMax} channels already. Remove some and import the file again.`,
        ]),
  ];
}

/** A mute ends by itself: with it or without it, it is the same route. */
const meaning = (channelId: string, spec: object) =>
  JSON.stringify([channelId, routeInput.omit({ channel_id: true, muted_until: true }).parse(spec)]);

function channelOf({ kind, name, to, chat, template }: RouteRecord["channel"]): Omit<ChannelRow, "createdAt"> {
  const kept = { id: randomUUID(), kind, name, settings: { to, chat, template } };
  return {
    ...kept,
    sealed: Buffer.alloc(0),
    host: null,
    enabled: false,
    fault: kind === "email" ? noConsent : noAddress,
  };
}
