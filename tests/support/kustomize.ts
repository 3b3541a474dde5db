import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";

/** A Kubernetes object as in its manifest. */
export type Manifest = z.infer<typeof manifest>;
const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});

/** The features of kustomize that our manifests use; others are rejected, so that nothing is silently ignored. */
const kustomization = z.strictObject({
  apiVersion: z.string(),
  kind: z.enum(["Kustomization", "Component"]),
  namespace: z.string().optional(),
  resources: z.array(z.string()).default([]),
  components: z.array(z.string()).default([]),
  patches: z.array(z.strictObject({ path: z.string() })).default([]),
  images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })).default([]),
});

const clusterWide = new Set(["Namespace"]);

/** Computes what `kubectl kustomize` prints for a folder, for machines without that program. */
export function buildKustomization(folder: string): Manifest[] {
  return build(folder, []);
}

function build(folder: string, before: Manifest[]): Manifest[] {
  const file = join(folder, "kustomization.yaml");
  const made = kustomization.parse(parse(readFileSync(file, "utf8")));
  let objects = [...before, ...made.resources.flatMap((path) => readResource(resolve(folder, path)))];
  for (const path of made.components) objects = build(resolve(folder, path), objects);
  for (const { path } of made.patches)
    for (const patch of readDocuments(resolve(folder, path))) objects = applyPatch(objects, patch, path);
  for (const image of made.images) objects = objects.map((object) => manifest.parse(withImage(object, image)));
  const { namespace } = made;
  if (namespace === undefined) return objects;
  return objects.map((object) =>
    clusterWide.has(object.kind) ? object : { ...object, metadata: { ...object.metadata, namespace } },
  );
}

function readResource(path: string): Manifest[] {
  return statSync(path).isDirectory() ? build(path, []) : readDocuments(path);
}

function readDocuments(path: string): Manifest[] {
  return parseAllDocuments(readFileSync(path, "utf8")).map((document) => {
    if (document.errors.length > 0) throw new Error(`${dirname(path)}: ${document.errors.join("; ")}`);
    return manifest.parse(document.toJS());
  });
}

/** Applies a strategic merge patch, limited to maps: lists of a patch replace those of the object. */
function applyPatch(objects: readonly Manifest[], patch: Manifest, path: string): Manifest[] {
  const fits = (object: Manifest) => object.kind === patch.kind && object.metadata.name === patch.metadata.name;
  if (!objects.some(fits)) throw new Error(`${path} patches ${patch.kind} ${patch.metadata.name}, which is not there`);
  return objects.map((object) => (fits(object) ? manifest.parse(merge(object, patch)) : object));
}

function merge(value: unknown, patch: unknown): unknown {
  if (!isMap(value) || !isMap(patch)) return patch;
  return Object.fromEntries(
    [...new Set([...Object.keys(value), ...Object.keys(patch)])].map((key) => [
      key,
      key in patch ? merge(value[key], patch[key]) : value[key],
    ]),
  );
}

function withImage(value: unknown, image: { name: string; newName: string; newTag: string }): unknown {
  if (Array.isArray(value)) return value.map((item) => withImage(item, image));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === "image" && item === image.name ? `${image.newName}:${image.newTag}` : withImage(item, image),
    ]),
  );
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
