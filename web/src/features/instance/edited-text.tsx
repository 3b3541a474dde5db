import { Button, Textarea } from "@mantine/core";
import { IconArrowBackUp, IconEye } from "@tabler/icons-react";
import { CopyButton } from "../../ui/copy-button.js";
import { t } from "../../texts/text.js";
import classes from "./instance.module.css";

interface Props {
  label: string;
  stored: string;
  /** The edited text; undefined while nothing was changed. */
  draft: string | undefined;
  onDraft: (draft: string | undefined) => void;
  /** Missing where this text cannot be shown as a page. */
  onPreview?: ((text: string) => void) | undefined;
}

/** A text that a person may edit to see the result or to copy it; what is stored does not change. */
export function EditedText({ label, stored, draft, onDraft, onPreview }: Props) {
  const text = draft ?? stored;
  return (
    <div className={classes["edited"]}>
      <Textarea
        aria-label={label}
        data-mono
        rows={14}
        autosize={false}
        resize="vertical"
        spellCheck={false}
        value={text}
        onChange={(event) => onDraft(event.currentTarget.value)}
      />
      <Bar
        text={text}
        isChanged={draft !== undefined && draft !== stored}
        onReset={() => onDraft(undefined)}
        onPreview={onPreview}
      />
    </div>
  );
}

interface BarProps extends Pick<Props, "onPreview"> {
  text: string;
  isChanged: boolean;
  onReset: () => void;
}

function Bar({ text, isChanged, onReset, onPreview }: BarProps) {
  return (
    <div className={classes["editedBar"]}>
      <span className="label" role="status">
        {isChanged ? t("Changed here only; the snapshot stays as it is") : ""}
      </span>
      {isChanged && (
        <Button variant="subtle" size="xs" leftSection={<IconArrowBackUp size={14} aria-hidden />} onClick={onReset}>
          {t("Reset")}
        </Button>
      )}
      <CopyButton size="xs" label={t("Copy")} text={() => text} />
      {onPreview !== undefined && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconEye size={14} aria-hidden />}
          onClick={() => onPreview(text)}
        >
          {t("Preview")}
        </Button>
      )}
    </div>
  );
}
