import type { Socket } from "node:net";
import type { AddressPolicy } from "./address-policy.js";
import { createConnector } from "./connect.js";
import type { Names } from "./names.js";

/** Connects to a host and port, without TLS. @throws AppError address_refused, dns_failed, connection_failed or timed_out */
export type OpenSocket = (host: string, port: number) => Promise<Socket>;
/** The opened socket; it stays open for as long as the server allows. */
export type OpenedSocket = Socket;

/**
 * Opens connections for protocols other than HTTP, such as SMTP, under the same policy. The operator named the server in the settings,
 * which counts as the consent to exactly this host and port, so a private address is allowed where the policy allows consented ones.
 */
export function createSocketOpener(policy: AddressPolicy, names: Names, connectTimeoutMs = 10_000): OpenSocket {
  const connect = createConnector({ policy, lookup: names.lookup, connectTimeoutMs, extraCa: [] }, true);
  return (host, port) =>
    new Promise((resolve, reject) => {
      connect({ hostname: host, host: `${host}:${port}`, protocol: "tcp:", port: String(port) }, (error, socket) => {
        if (error === null) resolve(socket);
        else reject(error);
      });
    });
}
