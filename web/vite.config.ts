import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `vite dev` finds the gateway; the built application is served by the gateway itself, on its own origin. */
const gateway = process.env["GATEWAY_URL"] ?? "http://127.0.0.1:8080";

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
  },
});
