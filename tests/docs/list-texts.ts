import { readdirSync } from "node:fs";
import { join } from "node:path";

const skipped = new Set(["node_modules", "dist", ".git", ".cache", "data", "coverage", "fixtures"]);

/** Every source, script, manifest and document below a folder, as paths relative to it; what is installed or built is left out. */
export function listTexts(root: string, folder = ""): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : listTexts(root, path);
    return entry.isFile() && /\.(m?[jt]sx?|md|ya?ml|sh|sql|css|html)$|Dockerfile$/.test(entry.name) ? [path] : [];
  });
}
