/** Where edited pages wait in session storage for the one time that they are shown. */
const prefix = "web-tester:preview:";

/** Keeps an edited page for the render screen. @returns its key, null where the browser keeps nothing (full or forbidden) */
export function keepPreview(html: string): string | null {
  const key = crypto.randomUUID?.() ?? String(Math.random()).slice(2);
  try {
    sessionStorage.setItem(prefix + key, html);
    return key;
  } catch {
    return null;
  }
}

/** Puts a page back that could not be shown, so that it can be tried again. */
export function putBackPreview(key: string, html: string): void {
  try {
    sessionStorage.setItem(prefix + key, html);
  } catch {
    // it was there a moment ago
  }
}

/** Takes an edited page out of session storage: a second time there is nothing. */
export function takePreview(key: string): string | null {
  try {
    const html = sessionStorage.getItem(prefix + key);
    sessionStorage.removeItem(prefix + key);
    return html;
  } catch {
    return null;
  }
}
