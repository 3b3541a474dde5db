import type { AppError } from "@web-tester/contracts/errors";

/** The result of one try. `never`: trying again cannot help; `gone`: the receiver does not want any more messages. */
export interface Sent {
  ok: boolean;
  /** HTTP or SMTP status. */
  status: number | null;
  /** The receiver's answer, or why it could not be reached; without secrets. */
  answer: string;
  never?: boolean;
  gone?: boolean;
  /** How long the receiver asks to wait. */
  waitMs?: number;
  /** The recipients of a mail that did not get it yet, though others did. */
  later?: string[];
  /** Those who were refused for good, though others got it, with what the mail server said about them. */
  refused?: string[];
}

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
