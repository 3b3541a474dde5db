import {
  applyDecorators,
  createParamDecorator,
  HttpCode,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  type ExecutionContext,
} from "@nestjs/common";
import { api, type Endpoint, type EndpointName, type Input, type Response } from "@web-tester/contracts/api";
import type { Request } from "express";
import { Public } from "./public.js";
import { nestPath, successStatus } from "./endpoint-facts.js";
import { parseInput } from "./parse-input.js";

const handlesKey = "web-tester:handles";

const methods = {
  GET: RequestMethod.GET,
  POST: RequestMethod.POST,
  PATCH: RequestMethod.PATCH,
  DELETE: RequestMethod.DELETE,
} as const;

/** Returned by a handler that has sent its response itself (`@Res()`), in the form that the table says. */
export const sent = Symbol("sent");

/** The type of a method that handles an endpoint of the table: parsed input in, the table's response out. */
type HandlerOf<N extends EndpointName> = (input: Input<N>, ...more: never[]) => Promise<Response<N> | typeof sent>;

/** Makes a controller method the handler of one row of the endpoint table; method, path and types come from the row. */
export function Handles<N extends EndpointName>(name: N) {
  const row: Endpoint = api[name];
  const apply = applyDecorators(
    RequestMapping({ method: methods[row.method], path: nestPath(row.path) }),
    HttpCode(successStatus(name)),
    SetMetadata(handlesKey, name),
    ...(row.role === "public" ? [Public()] : []),
  );
  return <M extends HandlerOf<N>>(target: object, key: string, descriptor: TypedPropertyDescriptor<M>): void => {
    apply(target, key, descriptor);
  };
}

/** The endpoint that a function was declared to handle; null where it handles none. */
export function handledEndpoint(handler: unknown): EndpointName | null {
  if (typeof handler !== "function") return null;
  const name: unknown = Reflect.getMetadata(handlesKey, handler);
  return typeof name === "string" && isEndpointName(name) ? name : null;
}

/** Injects into a handler the request's parameters, query and body, parsed with the schemas of its row. */
export const Parsed = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const name = handledEndpoint(context.getHandler());
  if (name === null)
    throw new Error(`${context.getClass().name}.${context.getHandler().name} uses @Parsed() without @Handles()`);
  const request = context.switchToHttp().getRequest<Request>();
  return parseInput(name, { params: request.params, query: request.query, body: request.body });
});

function isEndpointName(name: string): name is EndpointName {
  return Object.hasOwn(api, name);
}
