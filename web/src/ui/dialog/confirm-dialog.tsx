import { Button, Modal } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { formatCount } from "../format/words.js";
import classes from "./confirm-dialog.module.css";

export interface Confirmation {
  /** Also the verb on the red button. */
  readonly title: string;
  readonly sentence: string;
  /** What will be lost, in numbers. */
  readonly losses: readonly { readonly label: string; readonly count: number }[];
}

/** Asks before something is lost: focus on Cancel, the verb on the red button. Shown while `ask` is set. */
export function ConfirmDialog({
  ask,
  busy = false,
  onCancel,
  onConfirm,
}: {
  ask: Confirmation | undefined;
  busy?: boolean;
  onCancel: () => void;
  onConfirm: () => void;
}) {
  return (
    <Modal
      opened={ask !== undefined}
      onClose={onCancel}
      size={480}
      yOffset="24vh"
      withCloseButton={false}
      padding={0}
      aria-labelledby="confirm-title"
      aria-describedby="confirm-text"
      role="alertdialog"
    >
      {ask !== undefined && (
        <div className={classes["body"]}>
          <span className={classes["icon"]}>
            <IconTrash size={18} aria-hidden />
          </span>
          <div className={classes["main"]}>
            <h2 id="confirm-title" className={classes["title"]}>
              {ask.title}
            </h2>
            <p id="confirm-text" className="text-2">
              {ask.sentence}
            </p>
            <dl className={classes["losses"]}>
              {ask.losses.map((loss) => (
                <div key={loss.label}>
                  <dt className="label">{loss.label}</dt>
                  <dd className={classes["number"]}>{formatCount(loss.count)}</dd>
                </div>
              ))}
            </dl>
            <div className={classes["actions"]}>
              <Button variant="default" onClick={onCancel} data-autofocus className={classes["cancel"]}>
                Cancel
              </Button>
              <Button variant="danger" onClick={onConfirm} disabled={busy}>
                {ask.title}
              </Button>
            </div>
          </div>
        </div>
      )}
    </Modal>
  );
}
