import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import Provider from "oidc-provider";

export const client = { id: "web-tester", secret: "the client's secret, long enough" };

/** A real OpenID Connect provider on loopback, which answers after it was told the redirect address. */
export interface IdentityProvider {
  issuer: string;
  serve(redirectUri: string): void;
  stop(): Promise<void>;
}

/** Starts a provider that believes every login; the login's first word becomes a value of the claim `groups`. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  let answer: RequestListener | null = null;
  const server = createServer((request, response) => answer?.(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  return {
    issuer,
    serve(redirectUri) {
      const provided = new Provider(issuer, {
        clients: [
          {
            client_id: client.id,
            client_secret: client.secret,
            redirect_uris: [redirectUri],
            grant_types: ["authorization_code"],
            token_endpoint_auth_method: "client_secret_post",
          },
        ],
        claims: { openid: ["sub"], profile: ["name", "groups"] },
        cookies: { keys: ["a test"] },
        pkce: { required: () => true },
        findAccount: (_context, id) => ({
          accountId: id,
          claims: () => ({ sub: id, name: `Person ${id}`, groups: [id.split("-")[0] ?? "", "everybody"] }),
        }),
      }).callback();
      answer = (request, response) => void provided(request, response);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A minimal browser: keeps cookies by host and port while following redirects. */
export class Walker {
  private readonly jars = new Map<string, Map<string, string>>();

  cookies(origin: string): string {
    return [...(this.jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async ask(url: URL, form?: Record<string, string>): Promise<Response> {
    const answer = await fetch(url, {
      redirect: "manual",
      method: form === undefined ? "GET" : "POST",
      headers: { cookie: this.cookies(url.origin) },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      signal: AbortSignal.timeout(20_000),
    });
    const jar = this.jars.get(url.origin) ?? new Map<string, string>();
    this.jars.set(url.origin, jar);
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "" || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  /**
   * Follows redirects until `isThere`, and signs in and consents where the provider asks.
   * @returns the address that fulfils `isThere`, before it is requested
   */
  async walk(from: URL, login: string, isThere: (url: URL) => boolean): Promise<URL> {
    let url = from;
    for (let step = 0; step < 20; step += 1) {
      if (isThere(url)) return url;
      let answer = await this.ask(url);
      if (answer.status === 200) {
        const text = await answer.text();
        const prompt = text.includes('value="login"') ? "login" : "consent";
        answer = await this.ask(url, prompt === "login" ? { prompt, login, password: "any" } : { prompt });
      }
      const next = answer.headers.get("location");
      if (next === null) throw new Error(`${url.href} answered ${answer.status}: ${await answer.text()}`);
      url = new URL(next, url);
    }
    throw new Error(`The way from ${from.href} has no end`);
  }
}
