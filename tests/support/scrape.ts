import type { Product } from "./product.js";

/** One sample of a metric, as Prometheus reads it. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads the metrics of all of the product's processes, or of one. */
export async function scrape({ stack }: Pick<Product, "stack">, part?: string): Promise<Sample[]> {
  const origins = stack
    .parts()
    .flatMap(({ name, origin }) => (origin === undefined || (part ?? name) !== name ? [] : [origin]));
  const texts = await Promise.all(
    origins.map(async (origin) => {
      const response = await fetch(`${origin}/metrics`);
      if (!response.ok) throw new Error(`${origin}/metrics answered ${response.status}`);
      return response.text();
    }),
  );
  return texts.flatMap(readSamples);
}

/** Parses the text format of Prometheus: `name{label="value",…} number`. */
export function readSamples(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, quoted]) => [label, quoted]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** The sum of the samples of a metric that have all these labels; undefined where there is none. */
export function sum(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  return found.length === 0 ? undefined : found.reduce((total, { value }) => total + value, 0);
}
