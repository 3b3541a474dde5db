/**
 * Encodes a text as a server's websocket frame (RFC 6455 §5.2: one unmasked, uncompressed fragment), so that its bytes are made once
 * for all receivers.
 */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text, "utf8");
  const head = payload.length < 126 ? Buffer.alloc(2) : Buffer.alloc(payload.length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  if (head.length === 2) {
    head[1] = payload.length;
  } else if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  return Buffer.concat([head, payload]);
}
