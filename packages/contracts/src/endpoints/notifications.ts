import { z } from "zod";
import {
  channel,
  channelInput,
  channelPatch,
  delivery,
  deliveryState,
  eventPage,
  failedTelling,
  feed,
  route,
  routeInput,
  routePatch,
  sendResult,
  watchEvent,
} from "../entities/notifications.js";
import { count, id } from "../entities/vocabulary.js";
import { byId, endpoint } from "./endpoint.js";

const deleted = z.object({ deleted: z.int() });

/** Calls about notifications: channels, routes, feeds, deliveries and events. */
export const notificationEndpoints = {
  listChannels: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/channels",
    summary: "The channels that messages can be sent to",
    response: z.object({ items: z.array(channel) }),
  }),
  createChannel: endpoint({
    method: "POST",
    role: "admin",
    path: "/api/channels",
    summary: "Add a channel. Only this answer contains the signing secret of a webhook",
    body: channelInput,
    response: channel.extend({ secret: z.string().nullable().describe("The signing secret that was created") }),
    errors: ["invalid_input", "conflict"],
  }),
  updateChannel: endpoint({
    method: "PATCH",
    role: "admin",
    path: "/api/channels/{id}",
    summary: "Change a channel, switch it on or off",
    params: byId,
    body: channelPatch,
    response: channel,
    errors: ["not_found", "invalid_input"],
  }),
  deleteChannel: endpoint({
    method: "DELETE",
    role: "admin",
    path: "/api/channels/{id}",
    summary: "Remove a channel, its routes and the messages that still wait for it",
    params: byId,
    response: deleted,
    errors: ["not_found"],
  }),
  testChannel: endpoint({
    method: "POST",
    role: "admin",
    path: "/api/channels/{id}/test",
    summary: "Send an example message now, and return the receiver's answer",
    params: byId,
    response: sendResult,
    errors: ["not_found"],
  }),
  listRoutes: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/routes",
    summary: "The routes: which events are sent to which channel",
    response: z.object({ items: z.array(route) }),
  }),
  createRoute: endpoint({
    method: "POST",
    role: "admin",
    path: "/api/routes",
    summary: "Add a route, which sends events to a channel",
    body: routeInput,
    response: route,
    errors: ["not_found", "invalid_input", "conflict"],
  }),
  updateRoute: endpoint({
    method: "PATCH",
    role: "admin",
    path: "/api/routes/{id}",
    summary: "Change a route, or mute it for a while",
    params: byId,
    body: routePatch,
    response: route,
    errors: ["not_found", "invalid_input", "conflict"],
  }),
  deleteRoute: endpoint({
    method: "DELETE",
    role: "admin",
    path: "/api/routes/{id}",
    summary: "Remove a route; events that it has gathered are not sent",
    params: byId,
    response: deleted,
    errors: ["not_found"],
  }),
  listFeeds: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/feeds",
    summary: "The Atom feeds. Their addresses are secret and are not returned",
    response: z.object({ items: z.array(feed) }),
  }),
  createFeed: endpoint({
    method: "POST",
    role: "admin",
    path: "/api/feeds",
    summary:
      "Create an Atom feed of one test object, or of all. Only this answer contains its secret address; an earlier address of the feed stops working",
    // strict: with the id misspelt, the feed would be one of all objects
    body: z.strictObject({ testobject_id: id.nullable().default(null) }),
    response: feed.extend({ url: z.string().describe("Where readers fetch it") }),
    errors: ["not_found", "invalid_input"],
  }),
  deleteFeed: endpoint({
    method: "DELETE",
    role: "admin",
    path: "/api/feeds/{id}",
    summary: "Remove a feed; its address stops working",
    params: byId,
    response: deleted,
    errors: ["not_found"],
  }),
  listDeliveries: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/deliveries",
    summary: "The messages that were sent, wait or could not be sent, newest first",
    query: z.object({
      state: deliveryState.optional(),
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: id.optional().describe("nextCursor of the page before"),
    }),
    response: z.object({
      items: z.array(delivery),
      nextCursor: id.nullable(),
      untold: z
        .array(failedTelling)
        .describe(
          "Runs that ended and of which no message can be made because of an error, at most 20, the oldest first; later runs of their test objects wait for them",
        ),
    }),
    errors: ["invalid_input"],
  }),
  sendDelivery: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/deliveries/{id}/send",
    summary: "Send a message again, or now if it is still waiting",
    params: byId,
    response: delivery,
    errors: ["not_found", "conflict"],
  }),
  listEvents: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/events",
    summary: "The events in order, for programs that poll with the id of the last event they have seen",
    query: z.object({
      after: z
        .string()
        .regex(/^\d{1,18}$/, "must be the id of an event")
        .default("0"),
      testobject_id: id.optional(),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    response: z.object({ items: z.array(watchEvent), next: z.string().describe("`after` of the next call") }),
    errors: ["invalid_input"],
  }),
  listEventPages: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/events/{id}/pages",
    summary: "The pages of an event as they were at that time, in parts",
    params: z.object({ id: z.string().regex(/^\d{1,18}$/, "must be the id of an event") }),
    query: z.object({
      cursor: z.coerce.number().int().min(0).max(1_000_000).default(0).describe("nextCursor of the answer before"),
    }),
    response: z.object({ items: z.array(eventPage), total: count, nextCursor: z.int().nullable() }),
    errors: ["not_found", "invalid_input"],
  }),
} as const;
