// @ts-check

/** Suites of a full Debian archive, newest first; updates and security archives have a suffix and do not match. */
const debianSuites = ["sid", "unstable", "testing", "stable", "oldstable", "forky", "trixie", "bookworm", "bullseye"];
/** Fields that decide how apt reaches and trusts an archive; they hold for its other suites too. */
const keptFields = ["Signed-By", "Trusted", "Check-Valid-Until"];

/**
 * One archive as apt's source files describe it. `fields` are deb822 fields by their canonical names, values verbatim.
 * @typedef {{ uri: string, suites: string[], components: string[], fields: Record<string, string> }} AptSource
 */

/**
 * Reads a source file of apt in either of its formats (sources.list(5)); disabled entries, entries of source packages
 * only, and invalid ones are skipped: apt itself complains about those.
 * @param {string} text the file's text
 * @param {boolean} isDeb822 whether its name ends in `.sources`
 * @returns {AptSource[]}
 */
export function parseAptSources(text, isDeb822) {
  return isDeb822 ? text.split(/\n[ \t]*\n/).flatMap(parseStanza) : text.split("\n").flatMap(parseOneLine);
}

/**
 * Returns the first full Debian archive among the sources, or undefined on a system that has none (such as Ubuntu).
 * @param {AptSource[]} sources
 * @returns {AptSource | undefined}
 */
export function findDebianArchive(sources) {
  return sources.find(
    (source) => source.components.includes("main") && source.suites.some((suite) => debianSuites.includes(suite)),
  );
}

/**
 * Returns a deb822 source file for the same archive with other suites, asking for package lists only.
 * @param {AptSource} archive
 * @param {string[]} suites
 * @returns {string}
 */
export function sourceForSuites(archive, suites) {
  const kept = keptFields.flatMap((name) =>
    archive.fields[name] === undefined ? [] : [`${name}: ${archive.fields[name]}`],
  );
  return [
    "Types: deb",
    `URIs: ${archive.uri}`,
    `Suites: ${suites.join(" ")}`,
    "Components: main",
    "Targets: Packages",
    ...kept,
    "",
  ].join("\n");
}

/** @param {string} stanza @returns {AptSource[]} */
function parseStanza(stanza) {
  /** @type {Record<string, string>} */
  const fields = {};
  let last = "";
  for (const line of stanza.split("\n")) {
    if (line.startsWith("#")) continue;
    const field = /^([A-Za-z][A-Za-z-]*):[ \t]*(.*)$/.exec(line);
    if (field?.[1] !== undefined && field[2] !== undefined) {
      last = canonicalName(field[1]);
      fields[last] = field[2].trim();
    } else if (/^[ \t]/.test(line) && last !== "") fields[last] += `\n${line}`;
  }
  if (!words(fields["Types"]).includes("deb") || /^(no|false|0|off|without|disable)$/i.test(fields["Enabled"] ?? ""))
    return [];
  return words(fields["URIs"]).map((uri) => ({
    uri,
    suites: words(fields["Suites"]),
    components: words(fields["Components"]),
    fields,
  }));
}

/** @param {string} line @returns {AptSource[]} */
function parseOneLine(line) {
  const entry = /^\s*deb\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line);
  if (entry?.[2] === undefined || entry[3] === undefined) return [];
  /** @type {Record<string, string>} */
  const fields = {};
  for (const option of words(entry[1])) {
    const [name = "", value = ""] = option.split(/[-+]?=/, 2);
    fields[canonicalName(name)] = value.replaceAll(",", " ");
  }
  return [{ uri: entry[2], suites: [entry[3]], components: words(entry[4]), fields }];
}

/** @param {string} name @returns {string} */
function canonicalName(name) {
  if (name.toLowerCase() === "uris") return "URIs";
  return name.toLowerCase().replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** @param {string | undefined} text @returns {string[]} */
function words(text) {
  return (text ?? "").split(/\s+/).filter((word) => word !== "");
}
