import { readdirSync } from "node:fs";
import { join } from "node:path";

const skipped = new Set(["node_modules", "dist", ".git", ".cache", "data", "coverage", "fixtures"]);

/** Lists all sources, scripts, manifests and documents below `root`, by relative path; installed and built files are left out. */
export function listTexts(root: string, folder = ""): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : listTexts(root, path);
    return entry.isFile() && /\.(m?[jt]sx?|md|ya?ml|sh|sql|css|html)$|Dockerfile$/.test(entry.name) ? [path] : [];
  });
}
