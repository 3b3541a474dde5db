import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Where `vite dev` finds the gateway; the built application is served by the gateway itself, on its own origin. */
const gateway = process.env["GATEWAY_URL"] ?? "http://127.0.0.1:8080";

/** A part that screens share is named after all of them. */
const nameOf = (name: string) => name.replace(/~.*$/s, "");

/** What the list of objects has no use for: controls that open over a page, take numbers or draw long lists, and what shows code. */
const notFirst =
  /[\\/](@floating-ui|Popover|ScrollArea|Combobox|Select|ModalBase|Modal|Menu|NumberInput|PasswordInput|Textarea|Switch|InlineInput|Slider|react-number-format|virtual-core|react-virtual|fuzzysort|features|ui[\\/](assets|code|dialog|searchable-select))[\\/.]/;

/**
 * Fails the build where files of code import one another in a circle: which of them runs first depends on the screen that
 * was opened first, and what one of them needs at its start may not be there yet.
 */
function refuseCircles(): Plugin {
  return {
    name: "refuse-circles",
    generateBundle(_options, bundle) {
      const importsOf = (file: string) => {
        const part = bundle[file];
        return part?.type === "chunk" ? part.imports : [];
      };
      const reaches = (file: string, goal: string, seen = new Set<string>()): boolean =>
        importsOf(file).some((next) => {
          if (next === goal) return true;
          if (seen.has(next)) return false;
          seen.add(next);
          return reaches(next, goal, seen);
        });
      const circular = Object.keys(bundle).filter((file) => reaches(file, file));
      if (circular.length > 0) this.error(`These files import one another in a circle: ${circular.join(", ")}`);
    },
  };
}

export default defineConfig({
  plugins: [react(), refuseCircles()],
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
        // What screens share would come as ninety files; a browser asks for six at once. A group takes what its modules need
        // along, and one before another never needs that one: so no two files need each other.
        codeSplitting: {
          groups: [
            { name: "initial", tags: ["$initial"], priority: 4 },
            { name: "common", minShareCount: 2, test: (id) => !notFirst.test(id), priority: 3 },
            { name: "controls", minShareCount: 4, priority: 2 },
            { name: "shared", minShareCount: 2, entriesAware: true, priority: 1 },
          ],
        },
      },
    },
  },
});
