import "@mantine/core/styles/Code.layer.css";
import { Button, Code, Modal } from "@mantine/core";
import type { Response } from "@web-tester/contracts/api";
import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { rich, t } from "../../texts/text.js";
import { CopyButton } from "../../ui/copy-button.js";
import formClasses from "../../ui/layout/form.module.css";
import classes from "./access.module.css";

export type MadeToken = Response<"createToken"> & {
  /** Whether nobody needed a token before: then this browser has no credentials from now on. */
  wasFirst: boolean;
};

/** Shows the secret of a token that was just made, which cannot be shown again. */
export function SecretDialog({ made, onClose }: { made: MadeToken; onClose: () => void }) {
  const { fault, signIn, close } = useEnds(made, onClose);
  return (
    <Modal
      opened
      onClose={close}
      size={560}
      title={<b>{t("The token “{name}”", { name: made.name })}</b>}
      closeOnClickOutside={false}
    >
      <div className={formClasses["fields"]}>
        <p>
          {rich("It is shown only once: copy it now. Programs send it as {header}; people sign in with it.", {
            header: <code>Authorization: Bearer …</code>,
          })}
        </p>
        <Code block className={classes["secret"]} data-secret>
          {made.token}
        </Code>
        {made.wasFirst && (
          <p className={classes["warning"]}>
            {t("This browser now needs a token. Sign in with this one to continue.")}
          </p>
        )}
        {fault !== undefined && (
          <p role="alert" className={classes["fault"]}>
            {fault}
          </p>
        )}
        <Ends made={made} onSignIn={() => void signIn()} onClose={close} />
      </div>
    </Modal>
  );
}

interface EndsProps {
  made: MadeToken;
  onSignIn: () => void;
  onClose: () => void;
}

function Ends({ made, onSignIn, onClose }: EndsProps) {
  return (
    <div className={formClasses["ends"]}>
      <CopyButton label={t("Copy")} text={() => made.token} />
      {made.wasFirst ? (
        <Button onClick={onSignIn}>{t("Sign in with it")}</Button>
      ) : (
        <Button onClick={onClose}>{t("Done")}</Button>
      )}
    </div>
  );
}

/** The two ways to close the dialog: signing in with the token, or just closing. */
function useEnds(made: MadeToken, onClose: () => void) {
  const client = useQueryClient();
  const [fault, setFault] = useState<string>();
  const signIn = async () => {
    try {
      await call("signIn", { body: { token: made.token } });
      onClose();
      await client.invalidateQueries();
    } catch (error) {
      setFault(messageOf(error));
    }
  };
  const close = () => {
    onClose();
    void client.invalidateQueries();
  };
  return { fault, signIn, close };
}
