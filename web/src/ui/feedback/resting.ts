/**
 * A button that waits for what it began: it looks as if it were out, and keeps the focus, which one that is disabled loses. What it does
 * has to leave out a second press.
 */
export const resting = { "data-disabled": true, "aria-disabled": true } as const;
