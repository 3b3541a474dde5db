// @ts-check
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";

/**
 * Counts that describe the layout of the code: how large files and functions are, who writes a table, over how many files an option is
 * spread, and what depends on what. They are shown, not enforced: the lint refuses what is wrong, these show trends.
 */

const longFunction = 40;
/** Folders whose sources are counted; tests and benches are not. */
const homes = ["packages", "services", "web"];
const migrationsFolder = /(^|\/)migrations\//;
/** Boolean columns of an object that are not options. */
const notOptions = new Set(["auth_enabled", "deleting"]);

/**
 * @typedef {{ names: string[] | null, from: string, isType: boolean }} Import `names` is null if everything is imported
 * @typedef {{ path: string, lines: number, imports: Import[], exports: string[], longFunctions: string[], text: string }} Source
 */

/**
 * @param {string} root a checkout
 * @returns {{ name: string, count: string, list?: string[] }[]}
 */
export function countCode(root) {
  const sources = new Map(listSources(root).map((path) => [path, readSource(root, path)]));
  const all = [...sources.values()];
  const sizes = all.map(({ lines }) => lines).toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sizes[Math.floor((sizes.length - 1) * share)] ?? 0;
  const long = all.flatMap(({ longFunctions }) => longFunctions);
  const cycles = typeOnlyCycles(sources);
  const importers = importersOf(sources);
  const used = [...importers.values()].filter((files) => files.size > 0);
  const once = used.filter((files) => files.size === 1);
  const writers = foldersThatWrite(all, "test_snapshot");
  const spread = spreadOfOptions(all);
  return [
    { name: "files", count: String(all.length) },
    { name: "lines", count: String(sizes.reduce((sum, size) => sum + size, 0)) },
    { name: "lines of a file: median, p90, most", count: `${at(0.5)}, ${at(0.9)}, ${at(1)}` },
    { name: `functions over ${longFunction} lines`, count: String(long.length), list: long },
    { name: "folders that write test_snapshot", count: `${writers.length} (${writers.join(", ")})` },
    { name: "files that name a boolean option of an object", count: spread },
    { name: "files on the way of a snapshot from the click to the screen", count: countJourney(root) },
    {
      name: "files of packages/platform",
      count: String(all.filter(({ path }) => path.startsWith("packages/platform/")).length),
    },
    {
      name: "cycles of types alone",
      count: cycles.length === 0 ? "0" : `${cycles.length} (${cycles.map((files) => files.join(" ↔ ")).join("; ")})`,
    },
    {
      name: "exports with one importing file",
      count: `${Math.round((100 * once.length) / Math.max(1, used.length))} % of ${used.length}`,
    },
  ];
}

/** @param {string} root @returns {string[]} tracked and new files, no tests */
function listSources(root) {
  const options = ["-z", "--cached", "--others", "--exclude-standard", "--", ...homes];
  const listed = execFileSync("git", ["ls-files", ...options], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  return [...new Set(listed.split("\0"))].filter(
    (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\.d\.ts$/.test(path) && exists(join(root, path)),
  );
}

/** @param {string} path */
function exists(path) {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} root @param {string} path @returns {Source} */
function readSource(root, path) {
  const text = readFileSync(join(root, path), "utf8");
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @type {Source} */
  const source = { path, lines: text.split("\n").length - 1, imports: [], exports: [], longFunctions: [], text };
  const lineOf = (/** @type {number} */ position) => file.getLineAndCharacterOfPosition(position).line;
  for (const statement of file.statements) readStatement(statement, source);
  const walk = (/** @type {ts.Node} */ node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const lines = lineOf(node.getEnd()) - lineOf(node.getStart(file)) + 1;
      if (lines > longFunction) source.longFunctions.push(`${path}:${lineOf(node.getStart(file)) + 1} (${lines})`);
    }
    ts.forEachChild(node, walk);
  };
  walk(file);
  return source;
}

/** @param {ts.Statement} statement @param {Source} source */
function readStatement(statement, source) {
  const isExported =
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (ts.isImportDeclaration(statement) && ts.isStringLiteral(statement.moduleSpecifier)) {
    const from = statement.moduleSpecifier.text;
    const clause = statement.importClause;
    const bindings = clause?.namedBindings;
    if (bindings !== undefined && ts.isNamedImports(bindings)) {
      for (const { name, propertyName, isTypeOnly } of bindings.elements)
        source.imports.push({
          names: [(propertyName ?? name).text],
          from,
          isType: isTypeOnly || clause?.isTypeOnly === true,
        });
      if (clause?.name !== undefined) source.imports.push({ names: ["default"], from, isType: false });
    } else if (clause?.name !== undefined) source.imports.push({ names: ["default"], from, isType: clause.isTypeOnly });
    else source.imports.push({ names: null, from, isType: clause?.isTypeOnly === true });
  } else if (ts.isExportDeclaration(statement)) {
    const from = statement.moduleSpecifier;
    if (from !== undefined && ts.isStringLiteral(from))
      source.imports.push({ names: null, from: from.text, isType: statement.isTypeOnly });
  } else if (isExported) {
    if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations)
        if (ts.isIdentifier(name)) source.exports.push(name.text);
    } else if ("name" in statement && statement.name !== undefined) {
      const { name } = /** @type {{ name: ts.Identifier }} */ (statement);
      if (!source.exports.includes(name.text)) source.exports.push(name.text);
    }
  }
}

/** @param {Map<string, Source>} sources @param {string} path @param {string} from @returns {string | undefined} */
function resolveImport(sources, path, from) {
  const workspace = /^@web-tester\/([^/]+)\/(.+)$/.exec(from);
  const bare =
    workspace === null
      ? from.startsWith(".")
        ? normalize(join(dirname(path), from)).replace(/\.js$/, "")
        : undefined
      : `packages/${workspace[1]}/src/${workspace[2]}`;
  if (bare === undefined) return undefined;
  return [bare, `${bare}.ts`, `${bare}.tsx`].find((candidate) => sources.has(candidate));
}

/** @param {Map<string, Source>} sources @returns {Map<string, Set<string>>} `file#name` → files that import it */
function importersOf(sources) {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map();
  for (const { path, exports } of sources.values())
    for (const name of exports) importers.set(`${path}#${name}`, new Set());
  for (const { path, imports } of sources.values())
    for (const { names, from } of imports) {
      const target = resolveImport(sources, path, from);
      if (target === undefined) continue;
      for (const name of names ?? sources.get(target)?.exports ?? []) importers.get(`${target}#${name}`)?.add(path);
    }
  return importers;
}

/**
 * Returns cycles that exist only because types are imported: groups of the whole graph that the graph of values does not contain. @param
 * {Map<string, Source>} sources
 */
function typeOnlyCycles(sources) {
  const edges = (/** @type {boolean} */ withTypes) =>
    new Map(
      [...sources.values()].map(({ path, imports }) => [
        path,
        imports
          .filter(({ isType }) => withTypes || !isType)
          .flatMap(({ from }) => resolveImport(sources, path, from) ?? []),
      ]),
    );
  const values = new Set(groupsOf(edges(false)).map((files) => files.join()));
  return groupsOf(edges(true)).filter((files) => !values.has(files.join()));
}

/**
 * Returns the groups of strongly connected files that have more than one member. Source: Tarjan, Depth-first search and linear graph
 * algorithms (1972).
 * @param {Map<string, string[]>} edges @returns {string[][]}
 */
function groupsOf(edges) {
  /** @type {Map<string, { index: number, low: number, isOpen: boolean }>} */
  const seen = new Map();
  /** @type {string[]} */
  const stack = [];
  /** @type {string[][]} */
  const groups = [];
  const visit = (/** @type {string} */ path) => {
    const own = { index: seen.size, low: seen.size, isOpen: true };
    seen.set(path, own);
    stack.push(path);
    for (const next of edges.get(path) ?? []) {
      const known = seen.get(next) ?? visit(next);
      if (known.isOpen) own.low = Math.min(own.low, known.low);
    }
    if (own.low === own.index) {
      const group = stack.splice(stack.indexOf(path));
      for (const member of group) Object.assign(seen.get(member) ?? {}, { isOpen: false });
      if (group.length > 1) groups.push(group.toSorted());
    }
    return own;
  };
  for (const path of edges.keys()) if (!seen.has(path)) visit(path);
  return groups;
}

/** @param {Source[]} sources @param {string} table */
function foldersThatWrite(sources, table) {
  const writing = new RegExp(`\\b(INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|TRUNCATE|COPY) +"?${table}\\b`);
  return [
    ...new Set(
      sources
        .filter(({ path, text }) => !migrationsFolder.test(path) && writing.test(text))
        .map(({ path }) => dirname(path)),
    ),
  ].toSorted();
}

/**
 * Returns how many files name each boolean option of an object, by its property or its column: about as many as a further option would
 * touch. The options are read from the list of settings, or, in checkouts without that list, from the columns of the object's table.
 * @param {Source[]} sources
 */
function spreadOfOptions(sources) {
  const settings = sources.find(({ path }) => path === "packages/contracts/src/object-settings.ts")?.text ?? "";
  const table =
    sources.find(({ path, text }) => !migrationsFolder.test(path) && text.includes('name: "test_object",\n  columns'))
      ?.text ?? "";
  const columns = [
    ...settings.matchAll(/^ {2}(\w+): flag\(/gm),
    ...table.matchAll(/^\s+(\w+): \{ type: "boolean"/gm),
  ].map(([, column]) => column ?? "");
  return [...new Set(columns)]
    .filter((column) => !notOptions.has(column))
    .map((column) => {
      const property = column.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
      const named = new RegExp(`\\b(${property}|${column})\\b`);
      const files = sources.filter(({ path, text }) => !migrationsFolder.test(path) && named.test(text));
      return `${property} ${files.length}`;
    })
    .join(", ");
}

/** Counts the files that the journey of a snapshot in docs/architecture.md names. @param {string} root */
function countJourney(root) {
  const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const [, journey] = text.split(/^## The journey of a snapshot$/m);
  if (journey === undefined) return "not written down";
  const [section = ""] = journey.split(/^## /m);
  const files = new Set([...section.matchAll(/\]\(\.\.\/([^)#]+\.tsx?)/g)].map(([, path]) => path));
  return String(files.size);
}
