/**
 * The codes of errors, for programs to act on. `retryable`: whether retrying can help; `http`: the status that the gateway answers with
 * when the error reaches a caller.
 */
export const errorCodes = {
  // the caller made a mistake
  invalid_input: { http: 400, retryable: false },
  invalid_json: { http: 400, retryable: false },
  payload_too_large: { http: 413, retryable: false },
  unsupported_media_type: { http: 415, retryable: false },
  unauthorized: { http: 401, retryable: false },
  forbidden: { http: 403, retryable: false },
  forbidden_origin: { http: 403, retryable: false },
  not_found: { http: 404, retryable: false },
  route_not_found: { http: 404, retryable: false },
  method_not_allowed: { http: 405, retryable: false },
  conflict: { http: 409, retryable: false },
  too_many_requests: { http: 429, retryable: true },
  // the monitored site, or the network on the way to it, failed: these codes are stored as the reason on snapshots and crawled pages
  address_refused: { http: 422, retryable: false },
  dns_failed: { http: 422, retryable: true },
  connection_failed: { http: 422, retryable: true },
  tls_failed: { http: 422, retryable: false },
  timed_out: { http: 422, retryable: true },
  body_cut_off: { http: 422, retryable: true },
  protocol_error: { http: 422, retryable: true },
  too_many_redirects: { http: 422, retryable: false },
  redirect_invalid: { http: 422, retryable: false },
  http_status: { http: 422, retryable: false },
  http_status_retryable: { http: 422, retryable: true },
  too_large: { http: 422, retryable: false },
  encoding_unsupported: { http: 422, retryable: false },
  encoding_broken: { http: 422, retryable: false },
  not_html: { http: 422, retryable: false },
  empty_document: { http: 422, retryable: true },
  navigation_failed: { http: 422, retryable: true },
  reload_loop: { http: 422, retryable: false },
  login_failed: { http: 422, retryable: false },
  not_ready: { http: 422, retryable: true },
  out_of_scope: { http: 422, retryable: false },
  browser_unavailable: { http: 422, retryable: false },
  browser_crashed: { http: 422, retryable: true },
  worker_crashed: { http: 422, retryable: true },
  cancelled: { http: 422, retryable: false },
  // the product, its database, bus, object store or browser failed
  content_missing: { http: 500, retryable: false },
  content_damaged: { http: 500, retryable: false },
  unavailable: { http: 503, retryable: true },
  internal: { http: 500, retryable: false },
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** The one error type of the product; `message` tells a person what happened, to what, and what to do next. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: unknown;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.retryable = errorCodes[code].retryable;
    this.details = options.details;
  }
}
