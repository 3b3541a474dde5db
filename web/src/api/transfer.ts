import { api, type QueryInput, type Response as Answer } from "@web-tester/contracts/api";
import { t } from "../texts/text.js";
import { authHeaders, noteRefused } from "./api-auth.js";
import { ApiError, readError } from "./api-error.js";
import { apiOrigin } from "./client.js";
import { requestPath } from "./request.js";

/** Pieces are joined into a blob whenever they reach this size, so that the browser can move them out of memory. */
const joinBytes = 16 * 1024 * 1024;
/** Where the end of a file says what it lacks. */
const endBytes = 1_024;
const unreachable = () =>
  new ApiError(0, "unreachable", t("The server did not answer. Check that it is running, then try again."));

/**
 * Reads an export to its end.
 * @param onBytes is called with the bytes received so far
 * @throws {ApiError}; DOMException AbortError when the signal aborts
 */
export async function readExport(
  query: QueryInput<"exportData">,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<{ blob: Blob; name: string }> {
  const url = `${await apiOrigin()}${requestPath(api.exportData.path, {}, { ...query })}`;
  const answer = await fetch(url, { headers: authHeaders(), signal }).catch((error: unknown) => {
    throw signal.aborted ? error : unreachable();
  });
  if (answer.status === 401) noteRefused();
  if (!answer.ok || answer.body === null) throw readError(answer.status, answer.statusText, await answer.text());
  const type = answer.headers.get("content-type") ?? "application/octet-stream";
  let joined = new Blob([], { type });
  let parts: BlobPart[] = [];
  let waiting = 0;
  let bytes = 0;
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw signal.aborted
        ? error
        : new ApiError(0, "broken_off", t("The export broke off before its end. Nothing was saved; try again."));
    });
    if (done) break;
    parts.push(value);
    waiting += value.length;
    bytes += value.length;
    onBytes(bytes);
    if (waiting >= joinBytes) {
      joined = new Blob([joined, ...parts], { type });
      parts = [];
      waiting = 0;
    }
  }
  const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1];
  return { blob: new Blob([joined, ...parts], { type }), name: name ?? "web-tester-export.json" };
}

/** How many contents a JSON export lacks, as it says at its end. */
export async function contentsLeftOut(blob: Blob): Promise<number> {
  const end = await blob.slice(Math.max(0, blob.size - endBytes)).text();
  return Number(/"incomplete": \{"contents":(\d+),"message":"[^"]*"\}\s*\}\s*$/.exec(end)?.[1] ?? 0);
}

/**
 * Uploads a file for import, unchanged from disk.
 * @param onSent is called with the share that was sent, 0 to 1
 * @throws {ApiError}; DOMException AbortError when the signal aborts
 */
export async function sendImport(
  file: File,
  query: QueryInput<"importData">,
  onSent: (share: number) => void,
  signal: AbortSignal,
): Promise<Answer<"importData">> {
  const url = `${await apiOrigin()}${requestPath(api.importData.path, {}, { ...query })}`;
  return new Promise((resolve, reject) => {
    // fetch does not report how much was sent
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.setRequestHeader("Content-Type", typeOf(file));
    for (const [name, value] of Object.entries(authHeaders())) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total));
    request.addEventListener("error", () => reject(unreachable()));
    request.addEventListener("abort", () => reject(new DOMException("Cancelled", "AbortError")));
    request.addEventListener("load", () => {
      if (request.status === 401) noteRefused();
      if (request.status < 200 || request.status > 299)
        reject(readError(request.status, request.statusText, request.responseText));
      else resolve(api.importData.response.parse(JSON.parse(request.responseText)));
    });
    signal.addEventListener("abort", () => request.abort());
    if (signal.aborted) reject(new DOMException("Cancelled", "AbortError"));
    else request.send(file);
  });
}

/** Whether a file is a web archive: WARC, plain or compressed, WACZ, or a ZIP of a CDX index and its captures. */
export const isWebArchive = (file: File): boolean => /\.(?:warc(?:\.gz)?|wacz|zip)$/i.test(file.name);

/** Whether a file is sent without being read here, as only the server can look inside. */
export const isPacked = (file: File): boolean =>
  /\.(gz|tgz)$/i.test(file.name) || /gzip/.test(file.type) || isWebArchive(file);

function typeOf(file: File): string {
  if (isWebArchive(file)) return "application/octet-stream";
  return isPacked(file) ? "application/gzip" : "application/json";
}
