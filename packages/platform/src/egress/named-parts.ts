import type { Config } from "../config/config.js";
import { parseStorageUrl } from "../object-store/storage-url.js";
import type { HostAndPort } from "./address-policy.js";

const usualPorts: Record<string, number> = {
  "postgres:": 5432,
  "postgresql:": 5432,
  "nats:": 4222,
  "tls:": 4222,
  "http:": 80,
  "https:": 443,
};

type Naming = Pick<
  Config,
  | "databaseUrl"
  | "natsUrl"
  | "storageUrl"
  | "otelExporterOtlpEndpoint"
  | "ownPorts"
  | "ownAddresses"
  | "host"
  | "port"
  | "healthPort"
>;

/**
 * The addresses of the product's own parts, as far as the settings name them: database, bus, object store, trace collector, this process,
 * and those that the operator adds. Amazon's own S3, which needs no endpoint, is a public site like any other.
 */
export function namedParts(config: Naming): HostAndPort[] {
  const location = parseStorageUrl(config.storageUrl);
  const urls = [
    ...config.natsUrl.split(",").map((each) => each.trim()),
    location.kind === "bucket" ? (location.endpoint ?? "") : "",
    config.otelExporterOtlpEndpoint ?? "",
  ];
  const listening = [config.port, config.healthPort ?? 0, ...config.ownPorts].filter((port) => port !== 0);
  const all = [
    ...databaseParts(config.databaseUrl),
    ...urls.flatMap(partOf),
    ...listening.map((port) => ({ host: "127.0.0.1", port })),
    ...config.ownAddresses,
  ];
  return all.filter(({ host }) => host !== "");
}

function partOf(text: string): HostAndPort[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const port = url.port === "" ? usualPorts[url.protocol] : Number(url.port);
  return port === undefined ? [] : [{ host: plain(url.hostname), port }];
}

/** Reads the address as PostgreSQL's clients do: without a host it means this machine; a path is a socket file, which nobody can fetch. */
function databaseParts(text: string): HostAndPort[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const host =
    url.searchParams.get("host") ?? (url.hostname === "" ? "localhost" : plain(decodeURIComponent(url.hostname)));
  const port = Number(url.searchParams.get("port") ?? (url.port === "" ? 5432 : url.port));
  return host.startsWith("/") ? [] : [{ host, port }];
}

function plain(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}
