/** Where the screens behind share links stand. */
export const sharedBase = "/shared";

/** Whether this page is what a share link shows: one thing, read-only. It stays so for as long as the page lives. */
export const isShared: boolean = globalThis.location !== undefined && /^\/shared(\/|$)/.test(location.pathname);
