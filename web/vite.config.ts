import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `vite dev` finds the gateway; the built application is served by the gateway itself, on its own origin. */
const gateway = process.env["GATEWAY_URL"] ?? "http://127.0.0.1:8080";

/** A part that screens share is named after all of them. */
const nameOf = (name: string) => name.replace(/~.*$/s, "");

export default defineConfig({
  plugins: [react()],
  server: {
    host: "127.0.0.1",
    proxy: { "/api": gateway, "/config.json": gateway, "/ws": { target: gateway, ws: true } },
  },
  build: {
    target: "es2023",
    // Fonts and icons stay files: a strict font-src and img-src 'self' needs no data: addresses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name }) => `assets/${nameOf(name)}-[hash].js`,
        assetFileNames: ({ names: [name = ""] }) => `assets/${nameOf(name.replace(/\.[^.]*$/, ""))}-[hash][extname]`,
        // What screens share would come as fifty files of a few hundred bytes each; a browser asks for six at once.
        codeSplitting: {
          groups: [
            { name: "initial", tags: ["$initial"], priority: 2 },
            { name: "shared", minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 24_000, priority: 1 },
          ],
        },
      },
    },
  },
});
