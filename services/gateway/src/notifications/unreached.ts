import type { AppError } from "@web-tester/contracts/errors";
import type { Sent } from "./send-post.js";

/**
 * The result of a message whose receiver could not be reached. It is tried again in any case: a receiver that the egress guard refuses may be allowed within
 * the three days, or its name may resolve to another address. The guard's advice for sites (register it, if it is yours) does not fit receivers.
 */
export function unreached({ code, message }: AppError, host: string): Sent {
  const isForAllowing = code === "address_refused" && message.includes("EGRESS_ALLOW");
  const [what = ""] = message.split(/(?<=\.) (?=[A-Z])/);
  const answer = isForAllowing
    ? `${what} Start the product with ${host} in EGRESS_ALLOW, and what waits is sent; or enter another address.`
    : message;
  return { ok: false, status: null, answer };
}
