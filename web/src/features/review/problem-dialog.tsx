import { Button, Modal, Textarea } from "@mantine/core";
import { useState } from "react";
import { t } from "../../texts/text.js";
import classes from "./review.module.css";

/** A dialog that asks what is wrong with a change. */
export function ProblemDialog({ isOpen, ...form }: FormProps & { isOpen: boolean }) {
  return (
    <Modal opened={isOpen} onClose={form.onClose} title={t("This change is a problem")}>
      <NoteForm {...form} />
    </Modal>
  );
}

interface FormProps {
  /** Whether the note is being saved. */
  isSaying: boolean;
  onClose: () => void;
  onSay: (note: string) => void;
}

/** A separate component, so that its state starts empty each time the dialog is opened. */
function NoteForm({ isSaying, onClose, onSay }: FormProps) {
  const [note, setNote] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSaying) onSay(note);
      }}
    >
      <Textarea
        label={t("Note")}
        description={t("What is wrong, for the next reviewer; Ctrl+Enter submits it")}
        autosize
        minRows={3}
        maxLength={2_000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
        }}
        data-autofocus
        mb={12}
      />
      <div className={classes["acts"]}>
        <Button variant="default" onClick={onClose}>
          {t("Cancel")}
        </Button>
        <Button type="submit" loading={isSaying}>
          {t("Say so")}
        </Button>
      </div>
    </form>
  );
}
