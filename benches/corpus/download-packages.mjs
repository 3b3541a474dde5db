// @ts-check
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findDebianArchive, parseAptSources, sourceForSuites } from "./apt-sources.mjs";
import { runCommand } from "./run-command.mjs";

const updateTimeoutMs = 300_000;
const downloadTimeoutMs = 180_000;

/**
 * Downloads Debian packages of any suite with separate package lists, state and cache below `workFolder`: the system's own
 * stay as they are, and root is not needed.
 * @param {readonly { package: string, suite: string }[]} wanted
 * @param {string} workFolder an empty folder; the caller removes it
 * @returns {Promise<string>} the folder that holds one folder per suite with one `.deb` file per package
 */
export async function downloadPackages(wanted, workFolder) {
  const archive = findDebianArchive(await systemSources());
  if (archive === undefined)
    throw new Error("none of this system's apt sources is a full Debian archive (component main of a Debian suite)");
  const downloads = join(workFolder, "downloads");
  for (const folder of ["state/lists/partial", "cache/archives/partial", "downloads"])
    await mkdir(join(workFolder, folder), { recursive: true });
  await writeFile(
    join(workFolder, "debian.sources"),
    sourceForSuites(archive, [...new Set(wanted.map((row) => row.suite))]),
  );
  await writeFile(join(workFolder, "apt.conf"), aptConfig(workFolder));
  const apt = ["-q", "-c", join(workFolder, "apt.conf")];
  await runCommand("apt-get", [...apt, "update"], { timeoutMs: updateTimeoutMs });
  for (const [suite, rows] of Map.groupBy(wanted, (row) => row.suite)) {
    await mkdir(join(downloads, suite));
    await runCommand("apt-get", [...apt, "download", ...rows.map((row) => `${row.package}/${suite}`)], {
      timeoutMs: downloadTimeoutMs,
      cwd: join(downloads, suite),
    });
  }
  return downloads;
}

/**
 * Returns the apt configuration. The system's hooks are cleared, as they would empty its package cache and wake its
 * desktop's package tools; the sandbox user is root because `_apt` cannot write into a person's cache folder.
 * @param {string} folder
 */
function aptConfig(folder) {
  return `#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::PDiffs "false";
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
Dir::State "${folder}/state";
Dir::State::status "/dev/null";
Dir::Cache "${folder}/cache";
Dir::Etc::sourcelist "${folder}/debian.sources";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
`;
}

/** Returns the archives that this system is configured for, as apt itself would find them. */
async function systemSources() {
  const shell = await runCommand(
    "apt-config",
    ["shell", "LIST", "Dir::Etc::sourcelist/f", "PARTS", "Dir::Etc::sourceparts/d"],
    { timeoutMs: 10_000 },
  );
  const list = /^LIST='(.*)'$/m.exec(shell)?.[1];
  const parts = /^PARTS='(.*)'$/m.exec(shell)?.[1];
  const names =
    parts === undefined
      ? []
      : (await readdir(parts).catch(() => [])).filter((name) => /\.(list|sources)$/.test(name)).sort();
  const files = [...(list === undefined ? [] : [list]), ...names.map((name) => join(parts ?? "", name))];
  const sources = await Promise.all(
    files.map(async (file) => parseAptSources(await readFile(file, "utf8").catch(() => ""), file.endsWith(".sources"))),
  );
  return sources.flat();
}
