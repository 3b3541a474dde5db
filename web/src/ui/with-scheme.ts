/** Hosts of this machine and of private networks, which rarely have a certificate (RFC 1918, RFC 3927, RFC 4193, RFC 6761, RFC 6762). */
const localHost =
  /^(?:localhost|.+\.(?:localhost|local)|(?:(?:10|127)\.\d+|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.\d+\.\d+|\[(?:::1|f[cd].*|fe[89ab].*)\])$/;

/**
 * Completes an address that was typed without its scheme: `example.com` becomes `https://example.com`, and a host of this machine or of
 * a private network an http address. Text that is no address, or has a scheme, stays as it is, without the space around it.
 */
export function withScheme(text: string): string {
  const typed = text.trim();
  if (!/^(?:\[|[\p{L}\p{N}])\S*$/u.test(typed) || /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(typed)) return typed;
  const address = URL.parse(`http://${typed}`);
  if (address === null || address.username !== "") return typed;
  const { hostname, port } = address;
  const isLocal = localHost.test(hostname) || (!/[.[]/.test(hostname) && port !== "");
  if (!isLocal && !/[.[]/.test(hostname)) return typed;
  return `${isLocal ? "http" : "https"}://${typed}`;
}
