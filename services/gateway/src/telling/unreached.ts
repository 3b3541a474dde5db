import type { AppError } from "@web-tester/contracts/errors";
import type { Sent } from "./send-post.js";

/**
 * A receiver that could not be asked. It is tried again in any case: one that the egress door refuses may be allowed within the three days, or its name may lead elsewhere
 * again. What the door says of sites (register it, if it is yours) is no advice for receivers.
 */
export function unreached({ code, message }: AppError, host: string): Sent {
  const isForAllowing = code === "address_refused" && message.includes("EGRESS_ALLOW");
  const [what = ""] = message.split(/(?<=\.) (?=[A-Z])/);
  const answer = isForAllowing
    ? `${what} Start the product with ${host} in EGRESS_ALLOW, and what waits is sent; or enter another address.`
    : message;
  return { ok: false, status: null, answer };
}
