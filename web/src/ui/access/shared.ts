/** The base path of screens behind share links. */
export const sharedBase = "/shared";

/** Whether this page shows what a share link opens: one thing, read-only. It stays so until the page is closed. */
export const isShared: boolean = globalThis.location !== undefined && /^\/shared(\/|$)/.test(location.pathname);
