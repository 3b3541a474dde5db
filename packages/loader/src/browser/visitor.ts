/** Every page is drawn as by the same visitor. */
export const visitor = {
  viewport: { width: 1280, height: 900 },
  deviceScaleFactor: 1,
  locale: "en-US",
  timezoneId: "UTC",
  colorScheme: "light",
  reducedMotion: "reduce",
  acceptDownloads: false,
  serviceWorkers: "block",
} as const;
