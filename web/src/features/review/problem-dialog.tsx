import { Button, Modal, Textarea } from "@mantine/core";
import { useState } from "react";
import { t } from "../../texts/text.js";
import classes from "./review.module.css";

/** Asks what is wrong with a change. */
export function ProblemDialog({
  isOpen,
  onClose,
  onSay,
}: {
  isOpen: boolean;
  onClose: () => void;
  onSay: (note: string) => void;
}) {
  const [note, setNote] = useState("");
  return (
    <Modal opened={isOpen} onClose={onClose} title={t("This change is a problem")}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSay(note);
        }}
      >
        <Textarea
          label={t("Note")}
          description={t("What is wrong, for whoever looks next")}
          autosize
          minRows={3}
          maxLength={2_000}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          mb={12}
        />
        <div className={classes["acts"]}>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit">{t("Say so")}</Button>
        </div>
      </form>
    </Modal>
  );
}
