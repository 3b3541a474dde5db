/**
 * Props of a button that waits for what it began: it looks disabled but keeps the focus, which a disabled one would lose. Its handler
 * has to ignore a second press.
 */
export const resting = { "data-disabled": true, "aria-disabled": true } as const;
