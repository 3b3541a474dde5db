import { Button, Modal, PasswordInput, SegmentedControl, Switch, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { type ApiAuth, faultsOf, readApiAuth, wasRefused, writeApiAuth } from "../../api/api-auth.js";
import { ApiError } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { toast } from "../../ui/toasts/toasts.js";
import { rich, t } from "../../texts/text.js";
import classes from "./access.module.css";

/**
 * A dialog for how this browser identifies itself to the API (the local setting `apiAuth`); it is tried on the server before the
 * dialog closes.
 */
export default function AccessDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={<b>{t("API access")}</b>} size={480} centered>
      <AccessForm onClose={onClose} />
    </Modal>
  );
}

function AccessForm({ onClose }: { onClose: () => void }) {
  const { auth, set, faults, answer, trying, save } = useApiAccess(onClose);

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      className={classes["form"]}
      noValidate
    >
      <p className="text-2">
        {rich(
          "A server that was started with {name} answers only to those who know the token. It is kept in this browser alone and sent with every request.",
          { name: <code>API_TOKEN</code> },
        )}
      </p>
      <TokenFields auth={auth} faults={faults} set={set} />
      {answer !== undefined && (
        <p className={classes["fault"]} role="alert">
          {answer}
        </p>
      )}
      <Ends trying={trying} onClose={onClose} />
    </form>
  );
}

/** State of the setting, which is tried on the server when it is saved. */
function useApiAccess(onDone: () => void) {
  const client = useQueryClient();
  const [auth, setAuth] = useState<ApiAuth>(() => ({
    ...readApiAuth(),
    enabled: readApiAuth().enabled || wasRefused(),
  }));
  const [faults, setFaults] = useState<ReturnType<typeof faultsOf>>({});
  const [answer, setAnswer] = useState<string>();
  const [trying, setTrying] = useState(false);
  const set = (part: Partial<ApiAuth>) => {
    setAuth({ ...auth, ...part });
    setFaults({});
    setAnswer(undefined);
  };
  const save = async () => {
    const found = faultsOf(auth);
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    writeApiAuth(auth);
    setTrying(true);
    try {
      await call("getStats");
      toast("success", auth.enabled ? t("API access saved") : t("API access switched off"));
      void client.invalidateQueries();
      onDone();
    } catch (error) {
      setAnswer(refusalWords(error, auth.enabled));
    } finally {
      setTrying(false);
    }
  };
  return { auth, set, faults, answer, trying, save };
}

function Ends({ trying, onClose }: { trying: boolean; onClose: () => void }) {
  return (
    <div className={classes["ends"]}>
      <Button component={Link} to="/access" variant="subtle" onClick={onClose}>
        {t("Tokens and changes")}
      </Button>
      <Button component={Link} to="/sign-in" variant="subtle" onClick={onClose}>
        {t("Sign in")}
      </Button>
      <Button variant="default" onClick={onClose}>
        {t("Cancel")}
      </Button>
      <Button type="submit" loading={trying}>
        {t("Save")}
      </Button>
    </div>
  );
}

function refusalWords(error: unknown, isSent: boolean): string {
  if (!(error instanceof ApiError) || error.status !== 401)
    return t("Saved, but it could not be tried: {reason}", {
      reason: error instanceof ApiError ? error.reason : String(error),
    });
  return isSent
    ? t("Saved, but the server refused it. Check the value and ask who runs the server for its token.")
    : t("Saved, but this server asks for a token.");
}

interface TokenFieldsProps {
  auth: ApiAuth;
  faults: ReturnType<typeof faultsOf>;
  set: (part: Partial<ApiAuth>) => void;
}

/** Edits whether a token is sent, how, and which. */
function TokenFields({ auth, faults, set }: TokenFieldsProps) {
  return (
    <>
      <div className={classes["row"]}>
        <Switch
          size="xs"
          label={auth.enabled ? t("On") : t("Off")}
          aria-label={t("Send a token")}
          checked={auth.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        <SegmentedControl
          aria-label={t("How the token is sent")}
          disabled={!auth.enabled}
          value={auth.mode}
          onChange={(mode) => set({ mode })}
          data={[
            { value: "bearer" as const, label: t("Bearer token") },
            { value: "header" as const, label: t("Own header") },
          ]}
        />
      </div>
      {auth.enabled && <TokenValue auth={auth} faults={faults} set={set} />}
    </>
  );
}

function TokenValue({ auth, faults, set }: TokenFieldsProps) {
  if (auth.mode === "bearer")
    return (
      <PasswordInput
        label={t("Token")}
        autoComplete="off"
        data-autofocus
        value={auth.token}
        error={faults.token}
        onChange={(event) => set({ token: event.currentTarget.value })}
      />
    );
  return (
    <>
      <TextInput
        label={t("Header name")}
        placeholder="X-API-Token"
        autoComplete="off"
        data-mono
        value={auth.headerName}
        error={faults.headerName}
        onChange={(event) => set({ headerName: event.currentTarget.value })}
      />
      <PasswordInput
        label={t("Header value")}
        autoComplete="off"
        value={auth.headerValue}
        error={faults.headerValue}
        onChange={(event) => set({ headerValue: event.currentTarget.value })}
      />
    </>
  );
}
