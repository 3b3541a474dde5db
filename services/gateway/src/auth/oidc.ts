import { createHash } from "node:crypto";
import { role as roles, type Role } from "@web-tester/contracts/entities/role";
import { AppError } from "@web-tester/contracts/errors";
import * as oidc from "openid-client";

/** How to reach an OpenID Connect provider, and which roles its claims give. */
export interface ProviderSettings {
  issuer: string;
  clientId: string;
  /** null: a public client, which has no secret. */
  clientSecret: string | null;
  scopes: string;
  /** The claim that holds the role; dots lead into objects. */
  roleClaim: string;
  /** `value=role` pairs; empty: the claim holds the roles' own names. */
  roleMap: readonly string[];
  /** The role of people whose claim gives none; null: they are not let in. */
  defaultRole: Role | null;
}

/** What a browser's sealed cookie keeps from the redirect to the provider until the redirect back; others can neither read nor make one. */
export interface Pending {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
  /** The screen to return to after signing in. */
  returnTo: string;
}

export interface Person {
  /** The same at each sign-in: derived from issuer and subject. */
  id: string;
  name: string;
  role: Role;
}

/** An identity provider that people sign in at (OpenID Connect Core 1.0, code flow with PKCE). */
export interface Provider {
  /**
   * Returns the provider's address to redirect to, and what the browser has to keep until it comes back.
   * @throws AppError unavailable where the provider cannot be reached
   */
  begin(redirectUri: string, returnTo: string): Promise<{ url: URL; pending: Pending }>;
  /**
   * Finds out who signed in.
   * @param query of the address that the provider redirected the browser to
   * @throws AppError forbidden where the person has no role here, or declined; unauthorized where the answer is not valid; unavailable
   */
  finish(query: URLSearchParams, pending: Pending): Promise<Person>;
}

const timeoutSeconds = 10;
const clockToleranceSeconds = 10;
const nameMaxChars = 200;

/** @param fetch goes through the egress, which allows the configured provider */
export function createProvider(settings: ProviderSettings, fetch: oidc.CustomFetch): Provider {
  const issuer = new URL(settings.issuer);
  let found: Promise<oidc.Configuration> | null = null;

  function discover(): Promise<oidc.Configuration> {
    found ??= discoverProvider(settings, issuer, fetch).catch((cause: unknown) => {
      found = null;
      throw unreachable(issuer, cause);
    });
    return found;
  }

  return {
    async begin(redirectUri, returnTo) {
      const config = await discover();
      const pending = {
        ...{ state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() },
        ...{ redirectUri, returnTo },
      };
      return { url: await addressFor(config, pending, settings.scopes), pending };
    },

    async finish(query, pending) {
      const config = await discover();
      if (query.get("error") === "access_denied" && query.get("state") === pending.state)
        throw new AppError("forbidden", "You or the identity provider declined the sign-in. Nothing was changed.");
      const back = new URL(pending.redirectUri);
      back.search = query.toString();
      const claims = await askClaims(config, back, pending, settings).catch((cause: unknown) => {
        throw doesNotAnswer(cause) ? unreachable(issuer, cause) : invalid(cause);
      });
      const granted = roleOf(claims, settings);
      const name = nameOf(claims);
      if (granted === null)
        throw new AppError(
          "forbidden",
          `${name} has an account at the identity provider, but no role here. Ask the operator of this installation for one (OIDC_ROLES, OIDC_DEFAULT_ROLE).`,
        );
      return { id: personId(settings.issuer, claims.sub), name, role: granted };
    },
  };
}

function unreachable(issuer: URL, cause: unknown): AppError {
  return new AppError(
    "unavailable",
    `The identity provider at ${issuer.host} cannot be reached at the moment. Try again later, or sign in with a token.`,
    { cause },
  );
}

function discoverProvider(
  settings: ProviderSettings,
  issuer: URL,
  fetch: oidc.CustomFetch,
): Promise<oidc.Configuration> {
  return oidc.discovery(
    issuer,
    settings.clientId,
    { [oidc.clockTolerance]: clockToleranceSeconds },
    settings.clientSecret === null ? oidc.None() : oidc.ClientSecretPost(settings.clientSecret),
    {
      [oidc.customFetch]: fetch,
      timeout: timeoutSeconds,
      // signatures are checked although the token comes over the gateway's own connection to the provider
      execute: [oidc.enableNonRepudiationChecks, ...(issuer.protocol === "http:" ? [oidc.allowInsecureRequests] : [])],
    },
  );
}

/** The provider's address that the browser is redirected to for signing in. */
async function addressFor(config: oidc.Configuration, pending: Pending, scope: string): Promise<URL> {
  return oidc.buildAuthorizationUrl(config, {
    redirect_uri: pending.redirectUri,
    scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
  });
}

type Claims = Record<string, unknown> & { sub: string };

async function askClaims(
  config: oidc.Configuration,
  back: URL,
  pending: Pending,
  { roleClaim }: ProviderSettings,
): Promise<Claims> {
  const tokens = await oidc.authorizationCodeGrant(config, back, {
    ...{ pkceCodeVerifier: pending.verifier, expectedState: pending.state, expectedNonce: pending.nonce },
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("no ID token");
  const hasMore = config.serverMetadata().userinfo_endpoint !== undefined;
  if (!hasMore || readClaim(claims, roleClaim) !== undefined) return claims;
  return { ...(await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
}

function invalid(cause: unknown): AppError {
  return new AppError(
    "unauthorized",
    "The identity provider's answer is not valid, so you were not signed in. Try again; if it happens again, the operator of this installation finds the reason in the gateway's log.",
    { cause },
  );
}

/** Whether a failure, or what caused it, is that the provider was not reached, took too long or is out of order (5xx): no answer of it was wrong then. */
function doesNotAnswer(failure: unknown): boolean {
  if (failure instanceof AppError) return failure.code !== "too_large";
  if (failure instanceof DOMException) return failure.name === "TimeoutError" || failure.name === "AbortError";
  if (failure instanceof Response || failure instanceof oidc.ResponseBodyError) return failure.status >= 500;
  return failure instanceof Error && doesNotAnswer(failure.cause);
}

/** The highest role that the claim's values give; else the default role. */
export function roleOf(
  claims: Readonly<Record<string, unknown>>,
  { roleClaim, roleMap, defaultRole }: Pick<ProviderSettings, "roleClaim" | "roleMap" | "defaultRole">,
): Role | null {
  const given = [readClaim(claims, roleClaim) ?? []].flat().filter((value) => typeof value === "string");
  const meaning = new Map<string, string>(
    roleMap.length === 0
      ? roles.options.map((each) => [each, each])
      : roleMap.map((pair) => [pair.slice(0, pair.lastIndexOf("=")), pair.slice(pair.lastIndexOf("=") + 1)]),
  );
  const meant = new Set(given.map((value) => meaning.get(value)));
  return roles.options.toReversed().find((each) => meant.has(each)) ?? defaultRole;
}

/** Reads a claim by its full name, which may have dots as addresses do, or else by following the dots into objects. */
function readClaim(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split(".")
    .reduce<unknown>(
      (value, key) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
      claims,
    );
}

function nameOf(claims: Claims): string {
  const named = [claims["name"], claims["preferred_username"], claims["email"], claims.sub];
  const name = named.find((each) => typeof each === "string" && each.trim() !== "");
  return String(name)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, nameMaxChars);
}

/** Formats a person's id as a UUID (RFC 9562 §5.8), since owners are stored as UUIDs. */
function personId(issuer: string, subject: string): string {
  const hex = createHash("sha256")
    .update(JSON.stringify([issuer, subject]))
    .digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
