import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { meaningOfRoute, type Route, type RouteInput, routeSpec } from "@web-tester/contracts/entities/notifications";
import { AppError } from "@web-tester/contracts/errors";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { databaseTime } from "@web-tester/platform/database/database-time";
import { selectChannel } from "@web-tester/records/channels/channels";
import { deleteRoute, lockRoute, lockRoutes, putRoute, selectRoutes } from "@web-tester/records/channels/routes";
import {
  dropGathered,
  readdressGathered,
  selectDeliveries,
  selectDelivery,
  sendAgain,
} from "@web-tester/records/deliveries/deliveries";
import { selectEventPages } from "@web-tester/records/events/event-parts";
import { selectEvents } from "@web-tester/records/events/select-events";
import { selectUntold } from "@web-tester/records/runs/untold-runs";
import { type Actor, By } from "../http/actor.js";
import { alreadyThere } from "../http/already-there.js";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { requireObject } from "../http/require-object.js";
import { DB } from "../parts.js";
import { gatherUntil } from "./gather-until.js";
import { untoldFor } from "./untold-for.js";

const routesMax = 1_000;

/** Manages routes, which say who is notified of what, and lists messages and events. */
@Controller()
export class RoutesController {
  constructor(@Inject(DB) private readonly db: Database) {}

  @Handles("listRoutes")
  async list(): Promise<Response<"listRoutes">> {
    return { items: await selectRoutes(this.db) };
  }

  @Handles("createRoute")
  async create(@Parsed() { body }: Input<"createRoute">): Promise<Response<"createRoute">> {
    return this.db.transaction(async (tx) => {
      await requireBoth(tx, body);
      await lockRoutes(tx);
      const known = await selectRoutes(tx);
      if (known.length >= routesMax)
        throw new AppError("conflict", `There are ${routesMax} routes already. Remove some first.`);
      requireNew(known, body);
      return putRoute(tx, null, body);
    });
  }

  @Handles("updateRoute")
  async update(@Parsed() { params, body }: Input<"updateRoute">): Promise<Response<"updateRoute">> {
    return this.db.transaction(async (tx) => {
      await lockRoutes(tx);
      const old = await lockRoute(tx, params.id);
      if (old === null) throw notFound("route", params.id);
      const input = routeSpec.parse({ ...old, ...body });
      await requireBoth(tx, input);
      // a route that says the same as another from before can still be muted
      if (meaningOfRoute(input) !== meaningOfRoute(old)) requireNew(await selectRoutes(tx), input);
      const changed = await putRoute(tx, params.id, input);
      await moveGathered(tx, old, changed);
      return changed;
    });
  }

  @Handles("deleteRoute")
  async remove(@Parsed() { params }: Input<"deleteRoute">): Promise<Response<"deleteRoute">> {
    await this.db.transaction(async (tx) => {
      if (!(await deleteRoute(tx, params.id))) throw notFound("route", params.id);
      await dropGathered(tx, params.id);
    });
    return { deleted: 1 };
  }

  @Handles("listDeliveries")
  async deliveries(
    @Parsed() { query }: Input<"listDeliveries">,
    @By() { role }: Actor,
  ): Promise<Response<"listDeliveries">> {
    const { state = null, cursor = null, limit } = query;
    const [items, untold] = await Promise.all([
      selectDeliveries(this.db, state, cursor, limit + 1),
      selectUntold(this.db),
    ]);
    const shown = items.slice(0, limit);
    const nextCursor = items.length > limit ? (shown.at(-1)?.id ?? null) : null;
    return { items: shown, nextCursor, untold: untoldFor(role, untold) };
  }

  @Handles("sendDelivery")
  async send(@Parsed() { params }: Input<"sendDelivery">): Promise<Response<"sendDelivery">> {
    const isQueued = await sendAgain(this.db, params.id);
    const delivery = await selectDelivery(this.db, params.id);
    if (delivery === null) throw notFound("delivery", params.id);
    if (!isQueued) throw new AppError("conflict", "It is being sent right now.");
    return delivery;
  }

  @Handles("listEvents")
  async events(@Parsed() { query }: Input<"listEvents">): Promise<Response<"listEvents">> {
    const items = await selectEvents(this.db, query.after, query.testobject_id ?? null, query.limit);
    return { items, next: items.at(-1)?.id ?? query.after };
  }

  @Handles("listEventPages")
  async pages(@Parsed() { params, query }: Input<"listEventPages">): Promise<Response<"listEventPages">> {
    const found = await selectEventPages(this.db, params.id, query.cursor);
    if (found === null) throw notFound("event", params.id);
    return { items: found.pages, total: found.total, nextCursor: found.next };
  }
}

/** What a route has gathered goes where, and when, the route says now: whoever it was taken from is told nothing more by it. */
async function moveGathered(tx: Queryable, old: Route, changed: Route): Promise<void> {
  const isOtherTime = JSON.stringify(old.cadence) !== JSON.stringify(changed.cadence);
  if (!isOtherTime && old.channel_id === changed.channel_id) return;
  const until = isOtherTime ? gatherUntil(changed.cadence, await databaseTime(tx)) : undefined;
  await readdressGathered(tx, changed, until);
}

/**
 * Checks that no other route says the same.
 * @throws AppError conflict
 */
function requireNew(known: readonly RouteInput[], input: RouteInput): void {
  const meaning = meaningOfRoute(input);
  if (known.some((route) => meaningOfRoute(route) === meaning)) throw alreadyThere("route_exists");
}

/**
 * Checks that a route's channel and object exist.
 * @throws AppError not_found
 */
async function requireBoth(
  tx: Queryable,
  { channel_id: channelId, testobject_id: objectId }: RouteInput,
): Promise<void> {
  if ((await selectChannel(tx, channelId)) === null) throw notFound("channel", channelId);
  if (objectId !== null) await requireObject(tx, objectId);
}
