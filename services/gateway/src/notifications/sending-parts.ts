import type { Egress } from "@web-tester/platform/egress/egress";
import type { OpenSocket } from "@web-tester/platform/egress/open-socket";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { DrawTiny } from "./mail-of.js";
import type { MailServer } from "./send-mail.js";

/** The injection token of `SendingParts`, which sending messages depends on. */
export const SENDING = Symbol("sending");

export interface SendingParts {
  egress: Egress;
  /** Opens a connection to a mail server. */
  open: OpenSocket;
  secrets: SecretBox;
  /** The server that mails are sent by; null where none is set up. */
  mail: MailServer | null;
  /** Draws pictures of pages for mails. */
  draw: DrawTiny;
  /** The address at which people reach the product, without a slash at its end. */
  publicUrl: string;
}
