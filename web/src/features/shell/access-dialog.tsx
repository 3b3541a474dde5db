import { Button, Modal, PasswordInput, SegmentedControl, Switch, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiAuth, faultsOf, readApiAuth, wasRefused, writeApiAuth } from "../../api/api-auth.js";
import { ApiError } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { toast } from "../../ui/toasts/toasts.js";
import classes from "./access.module.css";

/** How this browser identifies itself to the API (the local setting `apiAuth`); tried on the server before it closes. */
export default function AccessDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={<b>API access</b>}
      size={480}
      centered
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <AccessForm onClose={onClose} />
    </Modal>
  );
}

function AccessForm({ onClose }: { onClose: () => void }) {
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

  const save = async (event: React.FormEvent) => {
    event.preventDefault();
    const found = faultsOf(auth);
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    writeApiAuth(auth);
    setTrying(true);
    try {
      await call("getStats");
      toast("success", auth.enabled ? "API access saved" : "API access switched off");
      void client.invalidateQueries();
      onClose();
    } catch (error) {
      setAnswer(refusalWords(error, auth.enabled));
    } finally {
      setTrying(false);
    }
  };

  return (
    <form onSubmit={(event) => void save(event)} className={classes["form"]} noValidate>
      <p className="text-2">
        A server that was started with <code>API_TOKEN</code> answers only to those who know the token. It is kept in
        this browser alone and sent with every request.
      </p>
      <TokenFields auth={auth} faults={faults} set={set} />
      {answer !== undefined && (
        <p className={classes["fault"]} role="alert">
          {answer}
        </p>
      )}
      <div className={classes["ends"]}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={trying}>
          Save
        </Button>
      </div>
    </form>
  );
}

function refusalWords(error: unknown, isSent: boolean): string {
  if (!(error instanceof ApiError) || error.status !== 401)
    return `Saved, but it could not be tried: ${error instanceof ApiError ? error.reason : String(error)}`;
  return isSent
    ? "Saved, but the server refused it. Check the value and ask who runs the server for its token."
    : "Saved, but this server asks for a token.";
}

interface TokenFieldsProps {
  auth: ApiAuth;
  faults: ReturnType<typeof faultsOf>;
  set: (part: Partial<ApiAuth>) => void;
}

/** Whether a token is sent, how, and which. */
function TokenFields({ auth, faults, set }: TokenFieldsProps) {
  return (
    <>
      <div className={classes["row"]}>
        <Switch
          size="xs"
          label={auth.enabled ? "On" : "Off"}
          aria-label="Send a token"
          checked={auth.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        <SegmentedControl
          aria-label="How the token is sent"
          disabled={!auth.enabled}
          value={auth.mode}
          onChange={(mode) => set({ mode })}
          data={[
            { value: "bearer" as const, label: "Bearer token" },
            { value: "header" as const, label: "Own header" },
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
        label="Token"
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
        label="Header name"
        placeholder="X-API-Token"
        autoComplete="off"
        data-mono
        value={auth.headerName}
        error={faults.headerName}
        onChange={(event) => set({ headerName: event.currentTarget.value })}
      />
      <PasswordInput
        label="Header value"
        autoComplete="off"
        value={auth.headerValue}
        error={faults.headerValue}
        onChange={(event) => set({ headerValue: event.currentTarget.value })}
      />
    </>
  );
}
