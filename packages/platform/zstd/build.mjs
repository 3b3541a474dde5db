// @ts-check
/**
 * Compiles zstd to zstd.wasm, which stands beside this file (see docs/decisions/053-zstd-compiled-for-pages.md).
 *
 *   node packages/platform/zstd/build.mjs PATH
 *
 * PATH is the unpacked source of zstd 1.5.7 (its releases: github.com/facebook/zstd). Needs clang and lld 16 with the
 * C library and the runtime of WebAssembly (Debian: clang-16 lld-16 wasi-libc libclang-rt-16-dev-wasm32).
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const version = "1.5.7";
const compiler = "clang-16";

/** What `storage/small-zstd.ts` calls. */
const functions = [
  "malloc",
  "ZSTD_isError",
  "ZSTD_compressBound",
  "ZSTD_createCCtx",
  "ZSTD_createDCtx",
  "ZSTD_compress_usingDict",
  "ZSTD_decompress_usingDict",
];

/** No threads, no old formats, no training of dictionaries. */
const sources = [
  ...["debug", "entropy_common", "error_private", "fse_decompress", "xxhash", "zstd_common"].map(
    (name) => `common/${name}.c`,
  ),
  ...["fse", "huf", "zstd"].map((name) => `compress/${name}_compress.c`),
  ...["literals", "sequences", "superblock"].map((name) => `compress/zstd_compress_${name}.c`),
  ...["double_fast", "fast", "lazy", "ldm", "opt", "preSplit"].map((name) => `compress/zstd_${name}.c`),
  "compress/hist.c",
  ...["huf_decompress", "zstd_ddict", "zstd_decompress", "zstd_decompress_block"].map((name) => `decompress/${name}.c`),
];

/** Level 3 finds matches in one way for content of every length (`ZSTD_dfast`), so the slower ways can be left out. */
const without = ["GREEDY", "LAZY", "LAZY2", "BTLAZY2", "BTOPT", "BTULTRA"].map(
  (way) => `-DZSTD_EXCLUDE_${way}_BLOCK_COMPRESSOR`,
);

const [, , folder] = process.argv;
if (folder === undefined) throw new Error(`Say where the source of zstd ${version} is: build.mjs PATH`);
const header = readFileSync(join(folder, "lib/zstd.h"), "utf8");
const found = ["MAJOR", "MINOR", "RELEASE"].map((part) => header.match(`ZSTD_VERSION_${part} +(\\d+)`)?.[1]).join(".");
if (found !== version) throw new Error(`${folder} has zstd ${found}; ${version} is wanted`);

execFileSync(
  compiler,
  [
    "--target=wasm32-wasi",
    // 16 bytes at once: matches are copied in half the time
    ...["-O3", "-msimd128", "-mbulk-memory", "-msign-ext"],
    ...["-DNDEBUG", "-DZSTD_DISABLE_ASM", "-DZSTD_NO_TRACE", "-DZSTD_LEGACY_SUPPORT=0", "-DXXH_NAMESPACE=ZSTD_"],
    ...without,
    ...["-I.", ...sources],
    ...["-o", join(import.meta.dirname, "zstd.wasm")],
    ...["-nostartfiles", "-Wl,--no-entry", "-Wl,--strip-all", ...functions.map((name) => `-Wl,--export=${name}`)],
  ],
  { cwd: join(folder, "lib"), stdio: "inherit" },
);
