/** Prefix of the keys under which edited pages wait in session storage until they are shown, which happens once. */
const prefix = "web-tester:preview:";

/**
 * Stores an edited page for the render screen.
 * @returns its key, null where the browser stores nothing (full or forbidden)
 */
export function keepPreview(html: string): string | null {
  const key = crypto.randomUUID?.() ?? String(Math.random()).slice(2);
  try {
    sessionStorage.setItem(prefix + key, html);
    return key;
  } catch {
    return null;
  }
}

/** Stores a page again that could not be shown, so that it can be tried again. */
export function putBackPreview(key: string, html: string): void {
  try {
    sessionStorage.setItem(prefix + key, html);
  } catch {
    // without storage the text is lost, as it was there a moment ago
  }
}

/** Removes an edited page from session storage and returns it; null the second time. */
export function takePreview(key: string): string | null {
  try {
    const html = sessionStorage.getItem(prefix + key);
    sessionStorage.removeItem(prefix + key);
    return html;
  } catch {
    return null;
  }
}
