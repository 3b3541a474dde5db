import { Button, Group, PasswordInput } from "@mantine/core";
import type { Role } from "@web-tester/contracts/entities/role";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { ApiError, messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { sessionQuery } from "../../api/queries.js";
import { type Label, t } from "../../texts/text.js";
import { roleWords } from "../../ui/access/role-words.js";
import { InlineError } from "../../ui/feedback/states.js";
import { Card } from "../../ui/layout/card.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import formClasses from "../../ui/layout/form.module.css";
import classes from "./access.module.css";

/** Why a sign-in at the identity provider failed, by the code in the server's redirect. */
const failures: Readonly<Record<string, Label>> = {
  forbidden: "The identity provider refused, or gives you no role here. Ask the operator of this server.",
  unauthorized: "The sign-in was not finished in this browser, took too long, or got an invalid answer. Start again.",
};
const otherFailure: Label = "The identity provider cannot be reached right now. Try again, or sign in with a token.";

/**
 * The page for signing in with a token or at an identity provider, and for signing out.
 * @param failed why the sign-in at the provider failed; null: it did not
 */
export function SignInPage({ failed }: { failed: string | null }) {
  usePageMeta(t("Sign in"), t("Sign in to this server."), "/sign-in");
  const session = useQuery(sessionQuery());
  const actor = session.data?.actor ?? null;
  return (
    <Page>
      <PageHead title={t("Sign in")} />
      <Card className={classes["card"]}>
        {failed !== null && (
          <p role="alert" className={classes["fault"]}>
            {t(failures[failed] ?? otherFailure)}
          </p>
        )}
        {session.isError && (
          <InlineError
            title={t("Your sign-in status could not be loaded")}
            detail={messageOf(session.error)}
            onRetry={() => void session.refetch()}
          />
        )}
        {session.data?.open === true && (
          <p>
            {t("You don't have to sign in: no token is set up.")}{" "}
            <Link to="/access" className="link">
              {t("Tokens and changes")}
            </Link>
          </p>
        )}
        {session.data?.open === false && actor !== null && (
          <SignedIn name={actor.name} role={actor.role} canSignOut={actor.signed_in} />
        )}
        {session.data?.open === false && actor === null && <Ways provider={session.data.provider} />}
      </Card>
    </Page>
  );
}

function SignedIn({ name, role, canSignOut }: { name: string; role: Role; canSignOut: boolean }) {
  const [fault, setFault] = useState<string>();
  const signOut = (everywhere: "true" | "false") =>
    call("signOut", { query: { everywhere } }).then(
      () => location.assign("/sign-in"),
      (error: unknown) => setFault(messageOf(error)),
    );
  return (
    <>
      <p>{t("You are {name}, with the role {role}.", { name, role: t(roleWords[role]) })}</p>
      {fault !== undefined && (
        <p role="alert" className={classes["fault"]}>
          {fault}
        </p>
      )}
      {canSignOut && (
        <Group gap="xs" mt="sm">
          <Button variant="default" onClick={() => void signOut("false")}>
            {t("Sign out")}
          </Button>
          <Button variant="default" onClick={() => void signOut("true")}>
            {t("Sign out everywhere")}
          </Button>
        </Group>
      )}
    </>
  );
}

function Ways({ provider }: { provider: string | null }) {
  const [token, setToken] = useState("");
  const [fault, setFault] = useState<string>();
  const [trying, setTrying] = useState(false);
  const signIn = async (event: React.FormEvent) => {
    event.preventDefault();
    if (token.trim() === "") return setFault(t("Enter a token."));
    setTrying(true);
    try {
      await call("signIn", { body: { token } });
      location.assign("/");
    } catch (error) {
      const isWrong = error instanceof ApiError && error.status === 401;
      setFault(isWrong ? t("This token is wrong, revoked or expired.") : messageOf(error));
      setTrying(false);
    }
  };
  return (
    <form className={formClasses["fields"]} onSubmit={(event) => void signIn(event)} noValidate>
      {provider !== null && (
        <Button component="a" href="/auth/sign-in">
          {t("Sign in with {provider}", { provider })}
        </Button>
      )}
      <PasswordInput
        label={t("Token")}
        autoComplete="off"
        value={token}
        error={fault}
        onChange={(event) => {
          setToken(event.currentTarget.value);
          setFault(undefined);
        }}
      />
      <Button type="submit" loading={trying} variant={provider === null ? "filled" : "default"}>
        {t("Sign in")}
      </Button>
    </form>
  );
}
