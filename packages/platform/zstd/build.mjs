// @ts-check
/**
 * Compiles zstd to zstd.wasm, which stands beside this file (see docs/decisions/002-object-store.md).
 *
 *   node packages/platform/zstd/build.mjs [TO]
 *
 * TO is the file to write (default: zstd.wasm beside this file). The source of zstd 1.5.7 is the one that the package zstd-napi carries. Needs clang
 * and lld 16 with the C library and the runtime of WebAssembly (Debian: clang-16 lld-16 wasi-libc libclang-rt-16-dev-wasm32).
 *
 * Same source and same compiler give the same bytes: where the compiler is installed, a test builds it again and compares.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const version = "1.5.7";
const compiler = "clang-16";

/** The functions that `object-store/small-zstd.ts` calls. */
const functions = [
  "malloc",
  "ZSTD_isError",
  "ZSTD_compressBound",
  "ZSTD_createCCtx",
  "ZSTD_createDCtx",
  "ZSTD_compress_usingDict",
  "ZSTD_decompress_usingDict",
];

/** The sources without threads, legacy formats and dictionary training. */
const sources = [
  ...["debug", "error_private", "xxhash", "zstd_common"].map((name) => `common/${name}.c`),
  ...["fse", "huf", "zstd"].map((name) => `compress/${name}_compress.c`),
  ...["literals", "sequences", "superblock"].map((name) => `compress/zstd_compress_${name}.c`),
  ...["double_fast", "fast", "lazy", "ldm", "opt", "preSplit"].map((name) => `compress/zstd_${name}.c`),
  "compress/hist.c",
];

/**
 * The decompressor is compiled as for a 64-bit processor, which WebAssembly is although its addresses have 32 bits: a quarter faster, as
 * bits are read from eight bytes at a time, and Huffman codes by zstd's fast loops.
 */
const wideSources = [
  ...["entropy_common", "fse_decompress"].map((name) => `common/${name}.c`),
  ...["huf_decompress", "zstd_ddict", "zstd_decompress", "zstd_decompress_block"].map((name) => `decompress/${name}.c`),
];

/**
 * Replacements in the sources: zstd assumes that a register is as long as an address. Each text occurs in its file exactly `times` times.
 * @type {[file: string, text: string, wide: string, times: number][]}
 */
const widening = [
  ["common/mem.h", "{ return sizeof(size_t)==4; }", "{ return 0; }", 1],
  ["common/mem.h", "{ return sizeof(size_t)==8; }", "{ return 1; }", 1],
  ["common/bitstream.h", "typedef size_t BitContainerType;", "typedef U64 BitContainerType;", 1],
  ["common/bitstream.h", "MEM_STATIC size_t BIT_readBitsFast(", "MEM_STATIC BitContainerType BIT_readBitsFast(", 1],
  ["common/bitstream.h", "MEM_readLEST(bitD->ptr)", "MEM_readLE64(bitD->ptr)", 3],
  ["decompress/huf_decompress.c", "static size_t HUF_initFastDStream(", "static U64 HUF_initFastDStream(", 1],
  ["decompress/huf_decompress.c", "size_t const value = MEM_readLEST(ip)", "U64 const value = MEM_readLE64(ip)", 1],
  ["decompress/huf_decompress.c", "MEM_readLEST(args->ip[stream])", "MEM_readLE64(args->ip[stream])", 1],
  // the free bytes are counted in registers
  ["decompress/huf_decompress.c", "sizeof(size_t)", "sizeof(U64)", 6],
];

/** Level 3 always uses the same match finder (`ZSTD_dfast`), so the slower ones can be left out. */
const without = ["GREEDY", "LAZY", "LAZY2", "BTLAZY2", "BTOPT", "BTULTRA"].map(
  (way) => `-DZSTD_EXCLUDE_${way}_BLOCK_COMPRESSOR`,
);

const folder = join(dirname(createRequire(import.meta.url).resolve("zstd-napi/package.json")), "deps/zstd");
const to = resolve(process.argv[2] ?? join(import.meta.dirname, "zstd.wasm"));
const header = readFileSync(join(folder, "lib/zstd.h"), "utf8");
const found = ["MAJOR", "MINOR", "RELEASE"].map((part) => header.match(`ZSTD_VERSION_${part} +(\\d+)`)?.[1]).join(".");
if (found !== version) throw new Error(`${folder} has zstd ${found}; ${version} is wanted`);

const flags = [
  "--target=wasm32-wasi",
  // 16 bytes at a time: matches are copied in half the time
  ...["-O3", "-msimd128", "-mbulk-memory", "-msign-ext"],
  ...["-DNDEBUG", "-DZSTD_DISABLE_ASM", "-DZSTD_NO_TRACE", "-DZSTD_LEGACY_SUPPORT=0", "-DXXH_NAMESPACE=ZSTD_"],
  ...without,
  "-I.",
];
const wide = mkdtempSync(join(tmpdir(), "zstd-wide-"));
try {
  cpSync(join(folder, "lib"), wide, { recursive: true });
  for (const [file, text, wider, times] of widening) {
    const parts = readFileSync(join(wide, file), "utf8").split(text);
    if (parts.length !== times + 1)
      throw new Error(`${file} has "${text}" ${parts.length - 1} times; ${times} are wanted`);
    writeFileSync(join(wide, file), parts.join(wider));
  }
  execFileSync(compiler, [...flags, "-c", ...wideSources], { cwd: wide, stdio: "inherit" });
  const objects = wideSources.map((file) => join(wide, file.replace(/^.*\/(.*)\.c$/, "$1.o")));
  execFileSync(
    compiler,
    [
      ...flags,
      ...sources,
      ...objects,
      ...["-o", to],
      ...["-nostartfiles", "-Wl,--no-entry", "-Wl,--strip-all", ...functions.map((name) => `-Wl,--export=${name}`)],
    ],
    { cwd: join(folder, "lib"), stdio: "inherit" },
  );
} finally {
  rmSync(wide, { recursive: true, force: true });
}
