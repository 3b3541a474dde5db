import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { AppError } from "@web-tester/contracts/errors";

/** Encrypts texts so that only holders of the key can read them, and nobody can change or swap them unnoticed. */
export interface SecretBox {
  /** @param context what the text belongs to (for example the test object's id); opening needs the same one */
  seal(text: string, context: string): Buffer;
  /**
   * @param sealed the result of {@link SecretBox.seal}
   * @throws UnreadableSecret when the key or the context differs, or the bytes were changed; retrying does not help
   */
  open(sealed: Uint8Array, context: string): string;
  /** Derives a key of 32 bytes for another purpose: always the same one, and it reveals nothing about the box's own key (HKDF, RFC 5869). */
  derive(purpose: string): Buffer;
}

/** Thrown when a stored secret cannot be opened with the key of this process. */
export class UnreadableSecret extends AppError {
  constructor(why: string, cause?: unknown) {
    super(
      "internal",
      `A stored secret cannot be read: it ${why}. Start with the SECRET_KEY it was saved under, or enter the secret again.`,
      { cause },
    );
  }
}

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Creates a box that uses AES-256-GCM. Sealed form: version byte 1, 12 bytes of random nonce, ciphertext, 16 bytes of tag. The version byte
 * and the context are authenticated. A random nonce is safe for 2^32 seals under one key (NIST SP 800-38D §8.3).
 * @param key 32 bytes
 */
export function createSecretBox(key: Buffer): SecretBox {
  if (key.length !== 32)
    throw new AppError("invalid_input", `The key for secrets has ${key.length} bytes: give it 32 in SECRET_KEY.`);
  return {
    derive: (purpose) => Buffer.from(hkdfSync("sha256", key, "", `web-tester ${purpose}`, 32)),
    seal(text, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes }).setAAD(bind(context));
      return Buffer.concat([
        Buffer.of(version),
        nonce,
        cipher.update(text, "utf8"),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
    },
    open(sealed, context) {
      if (sealed[0] !== version || sealed.length < 1 + nonceBytes + tagBytes)
        throw new UnreadableSecret("is not one, or was made by a newer version");
      const nonce = sealed.subarray(1, 1 + nonceBytes);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
        .setAAD(bind(context))
        .setAuthTag(sealed.subarray(sealed.length - tagBytes));
      try {
        const text = decipher.update(sealed.subarray(1 + nonceBytes, sealed.length - tagBytes));
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch (cause) {
        throw new UnreadableSecret("was encrypted with another SECRET_KEY, or was changed", cause);
      }
    },
  };
}

function bind(context: string): Buffer {
  return Buffer.concat([Buffer.of(version), Buffer.from(context, "utf8")]);
}
