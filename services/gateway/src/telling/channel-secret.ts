import { randomBytes } from "node:crypto";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { z } from "zod";

/** What of a channel is never given back. */
export const channelSecret = z.object({ url: z.string(), secret: z.string() });
export type ChannelSecret = z.infer<typeof channelSecret>;

/** Bound to the channel's id, so that it opens nothing elsewhere. */
export const sealChannel = (secrets: SecretBox, id: string, secret: ChannelSecret): Buffer =>
  secrets.seal(JSON.stringify(secret), `channel:${id}`);

/** A channel that came with an import has none yet. */
export const openChannel = (secrets: SecretBox, id: string, sealed: Uint8Array): ChannelSecret =>
  sealed.length === 0
    ? { url: "", secret: "" }
    : channelSecret.parse(JSON.parse(secrets.open(sealed, `channel:${id}`)));

/** A signing secret as Standard Webhooks writes it. */
export const newSigningSecret = (): string => `whsec_${randomBytes(24).toString("base64")}`;
