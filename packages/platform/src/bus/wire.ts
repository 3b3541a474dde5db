import { headers, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import type { Tracer } from "../tracing/tracer.js";

/** The present trace as headers of a message. */
export function carried(tracer: Tracer): { headers: MsgHdrs } | undefined {
  const found = tracer.carry();
  if (found === null) return undefined;
  const made = headers();
  for (const [name, value] of Object.entries(found)) made.set(name, value);
  return { headers: made };
}

/** @returns undefined where the message holds no JSON */
export function readJson(message: Pick<Msg, "json">): unknown {
  try {
    return message.json<unknown>();
  } catch {
    return undefined;
  }
}
