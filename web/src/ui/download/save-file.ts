/** Saves a file through the browser's downloads. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // once the download has begun, it no longer needs the address
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Whether an error only means that a person cancelled something. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";
