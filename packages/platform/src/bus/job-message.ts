import { placeholder, redactText } from "../log/redact.js";

/** Longer messages are cut and end in "…". */
const maxChars = 2_000;

/** Parameters of an address whose value grants access: `?access_token=…`, `;jsessionid=…`, `&X-Amz-Signature=…`. */
const tellingParameter =
  /([?&;#](?:[\w.-]{0,64}(?:token|secret|passw(?:or)?d|passphrase|signature|credential|session_?id|api[-_]?key|access[-_]?key)|auth|authorization|code|jwt|key|pwd|sid|sig)=)[^&#;\s"'<>)]*[^&#;\s"'<>):.,]/gi;

/** The message of a job without secrets: credentials in addresses and headers are replaced, line breaks become spaces, and long text is cut. Idempotent. */
export function jobMessage(message: string): string {
  const oneLine = message.slice(0, 2 * maxChars).replace(/[\r\n\u2028\u2029]+/g, " ");
  const safe = redactText(oneLine).replace(tellingParameter, `$1${placeholder}`);
  return safe.length <= maxChars ? safe : `${safe.slice(0, maxChars - 1)}…`;
}
