import { Button, Modal } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { formatCount } from "../format/words.js";
import { t } from "../../texts/text.js";
import classes from "./confirm-dialog.module.css";

export interface Confirmation {
  /** The question, and also the verb on the red button. */
  readonly title: string;
  readonly sentence: string;
  /** What will be lost, in numbers. */
  readonly losses: readonly { readonly label: string; readonly count: number }[];
}

interface Props {
  /** The question; undefined while there is none. */
  ask: Confirmation | undefined;
  onCancel: () => void;
  onConfirm: () => void;
}

/** Asks for confirmation before something is lost: focus is on Cancel, the verb is on the red button. */
export function ConfirmDialog({ ask, onCancel, onConfirm }: Props) {
  return (
    <Modal.Root opened={ask !== undefined} onClose={onCancel} size={480} yOffset="24vh">
      <Modal.Overlay />
      <Modal.Content>
        {ask !== undefined && (
          <Modal.Body className={classes["body"]}>
            <span className={classes["icon"]}>
              <IconTrash size={18} aria-hidden />
            </span>
            <div className={classes["main"]}>
              <Modal.Title className={classes["title"]}>{ask.title}</Modal.Title>
              <p className="text-2">{ask.sentence}</p>
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
                  {t("Cancel")}
                </Button>
                <Button variant="danger" onClick={onConfirm}>
                  {ask.title}
                </Button>
              </div>
            </div>
          </Modal.Body>
        )}
      </Modal.Content>
    </Modal.Root>
  );
}
