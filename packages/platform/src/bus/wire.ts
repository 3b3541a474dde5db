import { headers, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import type { Tracer } from "../tracing/tracer.js";

/** The current trace as message headers; undefined when there is none. */
export function carried(tracer: Tracer): { headers: MsgHdrs } | undefined {
  const found = tracer.carry();
  if (found === null) return undefined;
  const made = headers();
  for (const [name, value] of Object.entries(found)) made.set(name, value);
  return { headers: made };
}

/** Parses the body of a message. @returns undefined when it is not JSON */
export function readJson(message: Pick<Msg, "json">): unknown {
  try {
    return message.json<unknown>();
  } catch {
    return undefined;
  }
}
