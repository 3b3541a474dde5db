import type { OutgoingHttpHeaders } from "node:http";

const base64 = (text: string) => Buffer.from(text).toString("base64");
export type Evasion = readonly [
  string,
  (path: string, method: string) => { path?: string; method?: string; headers?: OutgoingHttpHeaders },
];
/**
 * Ways to try to evade the check in front of the routes.
 * @param token the right one, which is put where it must not count
 */
export const evasionsOf = (token: string): readonly Evasion[] => [
  ["as it is", () => ({})],
  ["in capitals", (path) => ({ path: path.toUpperCase() })],
  ["one capital", (path) => ({ path: path.replace("/api", "/Api") })],
  ["two slashes in front", (path) => ({ path: `/${path}` })],
  ["two slashes within", (path) => ({ path: path.replace("/api/", "/api//") })],
  ["a slash at the end", (path) => ({ path: `${path}/` })],
  ["an encoded letter", (path) => ({ path: path.replace("/api", "/%61pi") })],
  ["an encoded slash", (path) => ({ path: path.replace("/api/", "/api%2f") })],
  ["a dot within", (path) => ({ path: path.replace("/api/", "/./api/./") })],
  ["encoded dots", (path) => ({ path: `/healthz/%2e%2e${path}` })],
  ["dots", (path) => ({ path: `/healthz/..${path}` })],
  ["a backslash", (path) => ({ path: path.replace("/api/", "/api\\") })],
  ["a path parameter", (path) => ({ path: path.replace("/api", "/api;x=/healthz") })],
  ["a null byte", (path) => ({ path: `${path}%00` })],
  ["another file's ending", (path) => ({ path: `${path}.css` })],
  ["absolute form", (path) => ({ path: `http://127.0.0.1${path}` })],
  ["HEAD", () => ({ method: "HEAD" })],
  ["OPTIONS", () => ({ method: "OPTIONS" })],
  [
    "another method named in headers",
    (_path, method) => ({ method: "POST", headers: { "x-http-method-override": method, "x-method-override": method } }),
  ],
  [
    "another address named in headers",
    (path) => ({ headers: { "x-original-url": path, "x-rewrite-url": "/healthz", "x-forwarded-prefix": "/healthz" } }),
  ],
  [
    "said to come from here",
    () => ({
      headers: {
        host: "localhost",
        "x-forwarded-for": "127.0.0.1",
        "x-real-ip": "127.0.0.1",
        forwarded: "for=127.0.0.1",
      },
    }),
  ],
  ["the token in the query", (path) => ({ path: `${path}?token=${token}&access_token=${token}&api_token=${token}` })],
  ["the token in a cookie", () => ({ headers: { cookie: `token=${token}; X-API-Token=${token}` } })],
  ["another scheme", () => ({ headers: { authorization: `Basic ${base64(`:${token}`)}` } })],
  ["no scheme", () => ({ headers: { authorization: token } })],
  ["an empty token", () => ({ headers: { authorization: "Bearer ", "x-api-token": "" } })],
  ["a part of the token", () => ({ headers: { authorization: `Bearer ${token.slice(0, -1)}` } })],
  ["more than the token", () => ({ headers: { authorization: `Bearer ${token}x` } })],
  ["in other letters", () => ({ headers: { "x-api-token": token.toUpperCase() } })],
  ["another header", () => ({ headers: { "x-auth-token": token } })],
  [
    "several wrong ones",
    () => ({
      headers: { "x-api-token": ["", "undefined", "null"], authorization: ["Bearer null", "Bearer undefined"] },
    }),
  ],
  [
    "a socket's protocol",
    () => ({ headers: { "sec-websocket-protocol": `web-tester, token.${Buffer.from(token).toString("base64url")}` } }),
  ],
  ["a signature of nothing", (path) => ({ path: `${path}?expires=9999999999&signature=` })],
];
