/** Hands a file to the browser's downloads. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // the download has its own hold on the bytes once it has begun
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Whether something ended because a person said so. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";
