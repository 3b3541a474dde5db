import react from "@vitejs/plugin-react";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
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

/** Leaves out what contracts say for the API's document alone: no screen shows it, and each browser would load it. */
function dropDescriptions(): Plugin {
  const text = String.raw`"(?:[^"\\\n]|\\.)*"`;
  const described = new RegExp(String.raw`\.describe\(${text}\)`, "g");
  const summary = new RegExp(String.raw`\bsummary: ${text},?`, "g");
  const named = /\.meta\(\{ id: "\w+" \}\)/g;
  const errors = /\berrors: \[[^\]]*\],?/g;
  return {
    name: "drop-descriptions",
    transform(code, id) {
      if (!/[\\/]contracts[\\/]dist[\\/].*\.js$/.test(id)) return null;
      return {
        code: code.replace(described, "").replace(summary, "").replace(named, "").replace(errors, ""),
        map: null,
      };
    },
  };
}

/**
 * Leaves out how zod writes JSON Schema, of which every schema keeps a reference and for which no screen asks: 4 kB that each browser
 * would load before it shows anything.
 */
function dropJsonSchema(): Plugin {
  const written = /^export (?:const|function) (\w+)/gm;
  return {
    name: "drop-json-schema",
    transform(code, id) {
      if (!/[\\/]zod[\\/]v4[\\/]core[\\/](json-schema-processors|to-json-schema)\.js$/.test(id)) return null;
      const names = [...code.matchAll(written)].map(([, name = ""]) => name);
      const renamed = code.includes("export { processSchema as process }")
        ? "\nexport { processSchema as process };"
        : "";
      return {
        code: `${names.map((name) => `export const ${name} = () => undefined;`).join("\n")}${renamed}`,
        map: null,
      };
    },
  };
}

/** Shorter files fit into one packet as they are. */
const packedMinBytes = 1_400;

/** Puts a packed copy beside every file of text, which the gateway sends instead of it. */
function packFiles(): Plugin {
  return {
    name: "pack-files",
    async writeBundle({ dir = "" }, bundle) {
      for (const file of Object.values(bundle)) {
        const content = Buffer.from(file.type === "chunk" ? file.code : file.source);
        if (!/\.(js|css|svg)$/.test(file.fileName) || content.length < packedMinBytes) continue;
        await writeFile(join(dir, `${file.fileName}.gz`), await promisify(gzip)(content, { level: 9 }));
      }
    },
  };
}

/** The screens that people open by address most, by file in `src/routes`. */
const screens = {
  home: "^/$",
  object: "^/objects/[^/]+$",
  instance: "^/instances/[^/]+$",
  snapshot: "^/snapshots/[^/]+$",
  diff: "^/diff$",
  "bulk-diff": "^/diff/bulk$",
};

/** Tells public/early.js which files each of these screens is made of, so that they come along with the application. */
function nameScreenFiles(): Plugin {
  return {
    name: "name-screen-files",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        // a development server packs nothing
        if (bundle === undefined) return html;
        const filesOf = (fileName: string, seen: Set<string>): Set<string> => {
          const chunk = bundle[fileName];
          if (seen.has(fileName) || chunk?.type !== "chunk" || chunk.isEntry) return seen;
          seen.add(fileName);
          for (const style of chunk.viteMetadata?.importedCss ?? []) seen.add(style);
          for (const other of chunk.imports) filesOf(other, seen);
          return seen;
        };
        const rows = Object.entries(screens).map(([name, path]) => {
          const chunk = Object.values(bundle).find(
            (file) => file.type === "chunk" && file.facadeModuleId?.endsWith(`/src/routes/${name}.tsx`) === true,
          );
          if (chunk === undefined) throw new Error(`There is no src/routes/${name}.tsx`);
          return [path, [...filesOf(chunk.fileName, new Set())]];
        });
        const reader = '<script src="/early.js">';
        if (!html.includes(reader)) throw new Error(`index.html has no ${reader}`);
        return html.replace(reader, `<meta name="screens" content='${JSON.stringify(rows)}' />\n    ${reader}`);
      },
    },
  };
}

export default defineConfig({
  plugins: [dropDescriptions(), dropJsonSchema(), react(), refuseCircles(), packFiles(), nameScreenFiles()],
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
