// @ts-check
/**
 * Command: bundles each compiled program, with the packages that it loads, into a few files (docs/decisions/028-programs-of-few-files.md).
 * Run by `npm run build`; the images do it too (infra/docker/Dockerfile).
 */
import { readFileSync } from "node:fs";
import http from "node:http";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { rolldown } from "rolldown";
import { root } from "./bootstrap/project.mjs";
import { bundled, bundleOf } from "./bundled.mjs";

/** Packages that read files next to their own, or that must exist only once in a process: they are not bundled but loaded from node_modules. */
const apart = ["@sparticuz/chromium", "pino", "piscina", "playwright-core", "typeorm"];
/** Optional packages that others try to load and can do without. */
const missing = [
  "@fastify/static",
  "@nestjs/microservices",
  "@nestjs/platform-socket.io",
  "class-transformer",
  "class-validator",
  "pg-native",
];
const external = [...apart, ...missing].map((name) => new RegExp(`^${RegExp.escape(name)}(/|$)`));

/** Matches the path of a module of an installed package. */
const installed = /[\\/]node_modules[\\/]/;

/** Matches how a module names the file of the worker thread beside it; `ownPlace`: how it asks for its own location otherwise. */
const workerFile = /\bimport\.meta\.dirname, "([\w-]+-worker)\.js"/g;
const ownPlace = new RegExp(`(?!${workerFile.source})\\bimport\\.meta\\.(?:url|dirname|filename)\\b`, "g");

/** @param {string} program */
async function bundle(program) {
  const folder = dirname(bundleOf(program));
  const build = await rolldown({
    cwd: root,
    input: { main: join(root, program) },
    platform: "node",
    // no tree shaking: it drops calls made only to see whether they throw, such as decodeURIComponent in a `try`
    treeshake: false,
    external,
    plugins: [places(folder), httpWithoutFetch()],
    onLog(level, { message }) {
      if (level === "warn") throw new Error(`${program}: ${message}`);
    },
  });
  await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    // the names stay the same after the next build, because a running program loads some files only when it needs them; none equals the name of a thread's file
    chunkFileNames: "part-[name].js",
    // the log and Nest use the names of classes
    keepNames: true,
    minify: false,
    // packages are kept apart from our code, so that only its source maps are read; split by entries, because not everything is loaded at the start
    codeSplitting: { groups: [{ name: "packages", test: installed, entriesAware: true }] },
    sourcemap: "hidden",
    sourcemapExcludeSources: true,
  });
  await build.close();
}

/**
 * Bundles worker threads next to the program that starts them, and gives modules that look for files next to their own the original location.
 * @param {string} folder
 * @returns {import("rolldown").Plugin}
 */
function places(folder) {
  /** @param {string} code @param {string} id */
  const moved = (code, id) =>
    code.replace(ownPlace, (word) => placeOf(word, relative(folder, id).split(sep).join("/")));
  return {
    name: "places",
    load: {
      filter: { id: { exclude: installed } },
      handler(id) {
        if (!isOurs(id)) return null;
        const code = readFileSync(id, "utf8");
        for (const [, name = ""] of code.matchAll(workerFile))
          this.emitFile({ type: "chunk", id: resolve(dirname(id), `${name}.js`), fileName: `${name}.js` });
        return { code: moved(code, id), map: readFileSync(`${id}.map`, "utf8") };
      },
    },
    transform: {
      filter: { id: installed, code: /\bimport\.meta\.|\b__dirname\b/ },
      handler(code, id) {
        if (/\b__dirname\b/.test(code))
          this.error(`${id} looks for files at its own place: name its package as one that stands apart`);
        return { code: moved(code, id), map: null };
      },
    },
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        if (file.type !== "chunk") continue;
        const map = `${file.fileName}.map`;
        if (file.moduleIds.some(isOurs)) file.code += `//# sourceMappingURL=${map}\n`;
        else delete files[map];
      }
    },
  };
}

/**
 * Imports Node's `http` without what belongs to `fetch`. An ES module that imports it reads all its properties, and some of them load the whole of
 * undici, which took a tenth of the processor time of a service's start, and memory that it keeps.
 * @returns {import("rolldown").Plugin}
 */
function httpWithoutFetch() {
  const id = "\0http";
  const ofFetch = ["WebSocket", "CloseEvent", "MessageEvent"];
  const names = Object.keys(http).filter((name) => !ofFetch.includes(name));
  return {
    name: "http-without-fetch",
    resolveId: {
      filter: { id: /^(?:node:)?http$/ },
      // what requires it reads no more than it uses
      handler: (_, _importer, { kind }) => (kind === "import-statement" ? { id } : null),
    },
    load: {
      filter: { id: new RegExp(`^${id}$`) },
      handler: () => ({
        code: `const http = process.getBuiltinModule("node:http");\nexport default http;\nexport const { ${names.join(", ")} } = http;\n`,
      }),
    },
  };
}

/** @param {string} id */
const isOurs = (id) => isAbsolute(id) && !installed.test(id);

/** @param {string} word @param {string} path from the bundle to the module */
function placeOf(word, path) {
  if (word === "import.meta.url") return `new URL(${JSON.stringify(path)}, import.meta.url).href`;
  return `(import.meta.dirname + ${JSON.stringify(`/${word === "import.meta.filename" ? path : dirname(path)}`)})`;
}

for (const program of bundled) await bundle(program);
