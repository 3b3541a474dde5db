import { randomBytes } from "node:crypto";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { z } from "zod";

/** The parts of a channel that the API never gives back. */
export const channelSecret = z.object({ url: z.string(), secret: z.string() });
export type ChannelSecret = z.infer<typeof channelSecret>;

/** Encrypts a channel's secret, bound to the channel's id, so that it cannot be used for another channel. */
export const sealChannel = (secrets: SecretBox, id: string, secret: ChannelSecret): Buffer =>
  secrets.seal(JSON.stringify(secret), `channel:${id}`);

/** Decrypts a channel's secret; a channel that came with an import has none yet. */
export const openChannel = (secrets: SecretBox, id: string, sealed: Uint8Array): ChannelSecret =>
  sealed.length === 0
    ? { url: "", secret: "" }
    : channelSecret.parse(JSON.parse(secrets.open(sealed, `channel:${id}`)));

/** Makes a signing secret in the form of Standard Webhooks. */
export const newSigningSecret = (): string => `whsec_${randomBytes(24).toString("base64")}`;
