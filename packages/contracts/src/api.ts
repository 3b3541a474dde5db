import type { z } from "zod";
import { objectsEndpoints } from "./endpoints/objects.js";
import { runsEndpoints } from "./endpoints/runs.js";
import { instancesEndpoints } from "./endpoints/instances.js";
import { snapshotsEndpoints } from "./endpoints/snapshots.js";
import { compareEndpoints } from "./endpoints/compare.js";
import { searchEndpoints } from "./endpoints/search.js";
import { transferEndpoints } from "./endpoints/transfer.js";
import { checksEndpoints } from "./endpoints/checks.js";
import { comparisonsEndpoints } from "./endpoints/comparisons.js";
import { lifecycleEndpoints } from "./endpoints/lifecycle.js";
import { rulesEndpoints } from "./endpoints/rules.js";
import { schedulesEndpoints } from "./endpoints/schedules.js";
import { notificationEndpoints } from "./endpoints/notifications.js";
import { reviewsEndpoints } from "./endpoints/reviews.js";
import { accessEndpoints } from "./endpoints/access.js";
import { serviceEndpoints } from "./endpoints/service.js";
export type { Endpoint } from "./endpoints/endpoint.js";

/** All HTTP calls of the gateway. The rows of this table are in `endpoints/`, one file for each subject. */
export const api = {
  ...objectsEndpoints,
  ...runsEndpoints,
  ...instancesEndpoints,
  ...snapshotsEndpoints,
  ...compareEndpoints,
  ...comparisonsEndpoints,
  ...checksEndpoints,
  ...lifecycleEndpoints,
  ...rulesEndpoints,
  ...reviewsEndpoints,
  ...schedulesEndpoints,
  ...notificationEndpoints,
  ...searchEndpoints,
  ...transferEndpoints,
  ...accessEndpoints,
  ...serviceEndpoints,
} as const;

export type Api = typeof api;
export type EndpointName = keyof Api;
export type Params<N extends EndpointName> = z.infer<Api[N]["params"]>;
export type Query<N extends EndpointName> = z.infer<Api[N]["query"]>;
/** The query as a caller writes it, before the schema fills in defaults and turns text into numbers. */
export type QueryInput<N extends EndpointName> = z.input<Api[N]["query"]>;
export type Body<N extends EndpointName> = z.infer<Api[N]["body"]>;
export type BodyInput<N extends EndpointName> = z.input<Api[N]["body"]>;
export type Response<N extends EndpointName> = z.infer<Api[N]["response"]>;
/** The request that a handler gets: parameters, query and body, each parsed by its schema. */
export interface Input<N extends EndpointName> {
  params: Params<N>;
  query: Query<N>;
  body: Body<N>;
}
