import { AppError } from "@web-tester/contracts/errors";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { parseStorageUrl } from "../object-store/storage-url.js";
import { parseSmtpUrl } from "./smtp-url.js";

/** What a person needs to know about one variable. `write` completes the sentence "write …" in a fault and in the documentation. */
export interface VariableAbout {
  description: string;
  write: string;
  /** The value is never printed, not even when it is wrong. */
  secret?: true;
}

/** The registry of what {@link configFields} says about each of its fields. */
export const about = z.registry<VariableAbout>();

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);

const listOf = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform((text) => text.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()])))
    .pipe(z.array(item));

const urlWith = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol));

const hostName = z.string().regex(/^[a-z0-9_]([a-z0-9_.-]{0,252}[a-z0-9_])?\.?$/i);
const address = z.string().refine((text) => ipaddr.isValid(text));

const hostOrCidr = z
  .string()
  .transform((text) => text.toLowerCase().replace(/^\[(.*)\]$/, "$1"))
  .pipe(z.union([hostName, address, z.string().refine((text) => ipaddr.isValidCIDR(text))]));

/** `host:port`; IPv6 in brackets. */
const hostAndPort = z.string().transform((text, context) => {
  const [, host = "", port = ""] = /^(\[[0-9a-f:.]+\]|[^:[\]/\s]+):(\d{1,5})$/i.exec(text) ?? [];
  const plain = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if ((hostName.safeParse(plain).success || ipaddr.isValid(plain)) && Number(port) >= 1 && Number(port) <= 65_535)
    return { host: plain, port: Number(port) };
  context.addIssue({ code: "custom", message: "no host and port" });
  return z.NEVER;
});

const addressOrCidr = z.string().refine((text) => ipaddr.isValid(text) || ipaddr.isValidCIDR(text));

const natsServers = z
  .string()
  .refine((text) =>
    text.split(",").every((part) => /^(nats|tls):\/\/[^/\s]+\/?$/.test(part.trim()) && URL.canParse(part.trim())),
  );

/** 32 bytes written as 64 hexadecimal digits or as base64. */
const key32 = z.string().transform((text, context) => {
  const bytes = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, "hex")
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
      ? Buffer.from(text, "base64")
      : undefined;
  if (bytes?.length === 32) return bytes;
  context.addIssue({ code: "custom", message: "not 32 bytes" });
  return z.NEVER;
});

/** Accepts what one of our parsers accepts; the message of an AppError that it throws is shown to the operator as it is. */
const readBy = (read: (text: string) => unknown) =>
  z.string().superRefine((text, context) => {
    try {
      read(text);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      context.addIssue({ code: "custom", message: error.message, params: { worded: true } });
    }
  });

/** One field per variable; `dataDir` is read from `DATA_DIR`. Input: the variable's text, absent when unset or empty. */
export const configFields = z.object({
  mode: z.enum(["embedded", "cluster"]).default("cluster").register(about, {
    description: "`embedded`: child processes of `npm start` on one machine; `cluster`: services started on their own",
    write: "embedded or cluster",
  }),
  host: z.union([hostName, address]).default("127.0.0.1").register(about, {
    description: "Address the gateway and the health servers listen on",
    write: "an IP address or a host name, for example 127.0.0.1",
  }),
  port: wholeNumber(0, 65_535).default(8080).register(about, {
    description: "Port of the gateway; 0 takes any free one",
    write: "a whole number from 0 to 65535, for example 8080",
  }),
  healthPort: wholeNumber(0, 65_535).optional().register(about, {
    description:
      "Port on which a service answers /healthz, /readyz and /metrics; unset: a worker does not, and the gateway has /metrics on its own port",
    write: "a whole number from 0 to 65535, for example 9090",
  }),
  dataDir: z.string().default("./data").register(about, {
    description: "Folder of everything that embedded parts keep",
    write: "the path of a folder, for example ./data",
  }),
  webDir: z.string().optional().register(about, {
    description: "Folder of the built web application, served by the gateway; unset: it serves the API only",
    write: "the path of a folder, for example web/dist",
  }),
  databaseUrl: urlWith("postgres:", "postgresql:").register(about, {
    description: "PostgreSQL database",
    write: "an address like postgres://user:password@host:5432/database",
    secret: true,
  }),
  databasePool: wholeNumber(1, 200).default(8).register(about, {
    description: "Database connections of one process at most",
    write: "a whole number from 1 to 200, for example 8",
  }),
  natsUrl: natsServers.register(about, {
    description: "NATS servers with JetStream, separated by commas",
    write: "an address like nats://user:password@host:4222",
    secret: true,
  }),
  natsReplicas: wholeNumber(1, 5).default(1).register(about, {
    description:
      "Servers of a NATS cluster that keep each message; what is lost with them is found again from the database",
    write: "a whole number from 1 to 5, for example 3",
  }),
  storageUrl: readBy(parseStorageUrl).register(about, {
    description:
      "Object store: a folder (`file:/path`, with `?fsync=true` safe against power cuts) or an S3 bucket; S3 credentials come from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`",
    write: "file:/path or s3://bucket/prefix?endpoint=https://host&region=name&forcePathStyle=true",
    secret: true,
  }),
  secretKey: key32.optional().register(about, {
    description:
      "Key that encrypts stored site passwords; the same for all services. If it is lost, they have to be entered again",
    write: "32 bytes as 64 hexadecimal digits or as base64 (`openssl rand -hex 32` makes one)",
    secret: true,
  }),
  apiToken: z
    .string()
    .regex(/^[\x21-\x7e]{1,4096}$/)
    .optional()
    .register(about, {
      description: "Token that every API call must carry; unset: the API is open to whoever reaches it",
      write: "up to 4096 visible ASCII characters without spaces",
      secret: true,
    }),
  apiTokenHeader: z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/)
    .default("X-API-Token")
    .register(about, {
      description: "Header that may carry the API token besides `Authorization: Bearer`",
      write: "the name of a header, for example X-API-Token",
    }),
  sessionHours: wholeNumber(1, 8_760).default(168).register(about, {
    description: "Hours after which a browser that has signed in has to do so again",
    write: "a whole number from 1 to 8760, for example 12",
  }),
  auditDays: wholeNumber(0, 36_500).default(365).register(about, {
    description: "Days for which the list of who changed what is kept; 0: for good",
    write: "a whole number from 0 to 36500, for example 365",
  }),
  oidcIssuer: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(about, {
      description:
        "OpenID Connect provider that people sign in at; one at a private address has to be allowed by EGRESS_ALLOW where MODE is cluster. Once it is set, nothing is answered without a token or a sign-in",
      write: "the issuer's address, for example https://login.example.org/realms/main",
    }),
  oidcClientId: z.string().max(1_000).optional().register(about, {
    description: "Client that the provider knows this installation as",
    write: "the client's id",
  }),
  oidcClientSecret: z.string().max(4_000).optional().register(about, {
    description: "Secret of that client; unset: a public client, with PKCE alone",
    write: "the client's secret",
    secret: true,
  }),
  oidcScopes: z.string().max(1_000).default("openid profile email").register(about, {
    description: "Scopes that are asked for",
    write: "scopes separated by spaces, openid among them",
  }),
  oidcRoleClaim: z.string().max(300).default("roles").register(about, {
    description:
      "Claim of the ID token, or of the provider's answer about the person, that says the role; a dot leads into objects (`realm_access.roles`)",
    write: "the name of a claim, for example groups",
  }),
  oidcRoles: listOf(z.string().regex(/^[^=]{1,300}=(viewer|reviewer|operator|admin)$/))
    .default([])
    .register(about, {
      description: "Which value of the claim is which role; unset: the roles' own names. Of several the highest counts",
      write: "values with roles separated by commas, for example web-admins=admin,everybody=viewer",
    }),
  oidcDefaultRole: z.enum(["viewer", "reviewer", "operator", "admin"]).optional().register(about, {
    description: "Role of those whose claim says none; unset: they are not let in",
    write: "viewer, reviewer, operator or admin",
  }),
  oidcName: z.string().max(100).default("single sign-on").register(about, {
    description: "What the provider is called on the sign-in screen",
    write: "a name, for example Example Login",
  }),
  allowedHosts: listOf(hostOrCidr).default([]).register(about, {
    description:
      "Names that the gateway answers to while no API token is set; unset: loopback names where it listens on loopback, else any",
    write: "host names separated by commas, for example localhost,127.0.0.1",
  }),
  rateLimit: wholeNumber(0, 1_000_000).default(6_000).register(about, {
    description:
      "Requests of one address that are answered: so many at once, and as many again spread over each minute; frames of websockets count, and a wrong token counts as a second's worth. 0: no limit. This machine itself has none",
    write: "a whole number from 0 to 1000000, for example 6000",
  }),
  trustedProxies: listOf(addressOrCidr).default([]).register(about, {
    description:
      "Proxies in front of the gateway whose `X-Forwarded-For` is believed; without it all who come through a proxy share one limit",
    write: "addresses and networks separated by commas, for example 10.0.0.0/8,127.0.0.1",
  }),
  connectionLimit: wholeNumber(0, 1_000_000).default(500).register(about, {
    description:
      "Connections of one address at once, websockets among them; what comes through a trusted proxy is counted by whom it comes from. 0: no limit. This machine itself has none",
    write: "a whole number from 0 to 1000000, for example 500",
  }),
  sameSite: z.enum(["refuse", "allow"]).default("refuse").register(about, {
    description:
      "Whether pages of other ports and subdomains of the gateway's own site may show what is below `/api` (as frames, pictures or links); they cannot change anything either way",
    write: "refuse or allow",
  }),
  egressPrivate: z.enum(["own-host", "deny"]).optional().register(about, {
    description:
      "Private addresses: `own-host` lets a test object on a private host be fetched from exactly that host and port; default own-host when MODE=embedded, else deny",
    write: "own-host or deny",
  }),
  egressAllow: listOf(hostOrCidr).default([]).register(about, {
    description: "Hosts and networks that may be fetched although their addresses are private",
    write: "host names, addresses and networks separated by commas, for example intranet.example,10.1.0.0/16",
  }),
  samplePort: wholeNumber(1, 65_535).optional().register(about, {
    description: "Port on 127.0.0.1 of a small sample site for newcomers; unset: none is offered",
    write: "a whole number from 1 to 65535, for example 8090",
  }),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(about, {
      description:
        "Where people reach the product, for links in messages; unset: the address that the gateway listens on",
      write: "an address, for example https://monitor.example.org",
    }),
  smtpUrl: readBy(parseSmtpUrl).optional().register(about, {
    description:
      "Mail server that messages leave through: `smtp://` with STARTTLS, `smtps://` with TLS from the first byte, `?security=none` for a relay in the clear; one at a private address has to be allowed by EGRESS_ALLOW where MODE is cluster",
    write: "smtp://user:password@host:587",
    secret: true,
  }),
  mailFrom: z
    .string()
    .max(300)
    .regex(/^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u)
    .optional()
    .register(about, {
      description: "Sender of mails",
      write: "an address, for example Web Tester <monitor@example.org>",
    }),
  providerName: z.string().max(200).optional().register(about, {
    description: "Who provides this installation, shown on the imprint page",
    write: "a name",
  }),
  providerAddress: z.string().max(2_000).optional().register(about, {
    description:
      "Postal address and further legal details of the provider, shown on the imprint page; `\\n` begins a line",
    write: "an address",
  }),
  providerEmail: z.email().optional().register(about, {
    description: "Contact of the provider, shown on the imprint page",
    write: "an e-mail address",
  }),
  ownPorts: listOf(wholeNumber(1, 65_535)).default([]).register(about, {
    description: "Ports of the product's own parts on this machine, never fetched from",
    write: "whole numbers from 1 to 65535 separated by commas, for example 8080,5432",
  }),
  ownAddresses: listOf(hostAndPort).default([]).register(about, {
    description:
      "Hosts and ports of the product's own parts that no other setting names and no process announces (a load balancer, servers behind a service address), never fetched from whatever EGRESS_ALLOW says",
    write: "hosts with ports separated by commas, for example gateway:8080,10.0.7.4:5432",
  }),
  chromiumPath: z.string().optional().register(about, {
    description:
      "Chrome or Chromium program for pages that need JavaScript; unset: an installed one is looked for, a headless shell first (Debian: chromium-headless-shell), which needs a quarter of the processor time of a whole one",
    write: "the path of a program, for example /usr/bin/chromium",
  }),
  chromiumSandbox: z.enum(["required", "preferred", "off"]).default("preferred").register(about, {
    description:
      "Chromium's sandbox: `required`: no browser without it, and a fetcher without is not ready; `preferred`: without it where the system allows none, and it is said; `off`: without it",
    write: "required, preferred or off",
  }),
  hostConcurrency: wholeNumber(1, 64).default(8).register(about, {
    description: "Requests to one site at once, over all processes",
    write: "a whole number from 1 to 64, for example 8",
  }),
  fetchConcurrency: wholeNumber(1, 1024).default(32).register(about, {
    description: "Pages one worker handles at once",
    write: "a whole number from 1 to 1024, for example 32",
  }),
  undoSeconds: wholeNumber(0, 300).default(30).register(about, {
    description:
      "How long a deletion that is asked for in the browser can be undone before it is carried out; 0: not at all",
    write: "a whole number from 0 to 300, for example 30",
  }),
  uploadStallMs: wholeNumber(1_000, 3_600_000).default(60_000).register(about, {
    description:
      "Milliseconds in which an upload has to bring 16 KiB, and the reader of a download has to take 64 KiB; who is slower is ended",
    write: "a whole number from 1000 to 3600000, for example 60000",
  }),
  logLevel: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info").register(about, {
    description: "Least severe log lines to write",
    write: "trace, debug, info, warn, error, fatal or silent",
  }),
  otelExporterOtlpEndpoint: urlWith("http:", "https:").optional().register(about, {
    description: "OTLP/HTTP collector of OpenTelemetry that traces are sent to; unset: none are made",
    write: "an address like http://collector:4318",
  }),
  // Both decide how long work pauses after a fault; the campaign (npm run campaign) measures that time.
  reconcileMs: wholeNumber(100, 3_600_000).default(5_000).register(about, {
    description:
      "Milliseconds between two looks for lost work; what has lost its message waits for one to two of them. Shorter only to make recovery tests quick",
    write: "a whole number from 100 to 3600000, for example 5000",
  }),
  leaseMs: wholeNumber(100, 3_600_000).default(10_000).register(about, {
    description:
      "Milliseconds after which work of a silent worker is given to another; workers say every quarter of it that they go on. Shorter only to make recovery tests quick",
    write: "a whole number from 100 to 3600000, for example 10000",
  }),
});
