import { Button, Modal } from "@mantine/core";
import type { Response } from "@web-tester/contracts/api";
import { useMutation } from "@tanstack/react-query";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { Needs } from "../../ui/access/needs.js";
import { InlineError } from "../../ui/feedback/states.js";
import { ToneWord } from "../../ui/status/status.js";
import { t } from "../../texts/text.js";
import classes from "./login-fields.module.css";

/** Tries to sign in with the stored steps, and shows what the page looked like after each. */
export function TryLogin({ objectId, disabled }: { objectId: string; disabled: boolean }) {
  const attempt = useMutation({ mutationFn: () => call("tryLogin", { params: { id: objectId } }) });
  return (
    <>
      <Needs call="tryLogin">
        <Button
          variant="default"
          size="xs"
          disabled={disabled}
          title={disabled ? t("Save first") : undefined}
          loading={attempt.isPending}
          onClick={() => attempt.mutate()}
        >
          {t("Try it")}
        </Button>
      </Needs>
      <Modal
        opened={attempt.isSuccess || attempt.isError}
        onClose={attempt.reset}
        title={t("The login, step by step")}
        size="xl"
      >
        {attempt.isError && (
          <InlineError
            title={t("The login could not be tried")}
            detail={messageOf(attempt.error)}
            onRetry={() => attempt.mutate()}
          />
        )}
        {attempt.data !== undefined && <Tried result={attempt.data} />}
      </Modal>
    </>
  );
}

function Tried({ result: { ok, steps } }: { result: Response<"tryLogin"> }) {
  return (
    <>
      <p aria-live="polite">
        <ToneWord tone={ok ? "added" : "failed"} status={ok ? "fetched" : "failed"}>
          {ok ? t("All steps worked") : t("The login does not work yet")}
        </ToneWord>
      </p>
      <ol className={classes["tried"]}>
        {steps.map((step, index) => (
          <li key={index}>
            <p>
              <b>
                {t("Step")} {index + 1}
              </b>{" "}
              <span className="mono text-2">{step.url}</span>
            </p>
            {step.message !== null && <InlineError title={step.message} />}
            {step.picture !== null && (
              <img src={step.picture} alt={t("The page after step {index}", { index: index + 1 })} loading="lazy" />
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
