import { Button, Textarea } from "@mantine/core";
import { IconEraser, IconWand } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { CopyButton } from "../../ui/copy-button.js";
import { resting } from "../../ui/feedback/resting.js";
import { InlineError } from "../../ui/feedback/states.js";
import { formatInWorker } from "../../ui/formatter/format-in-worker.js";
import { counted } from "../../ui/format/words.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { refuseHugePaste } from "../../ui/refuse-huge-paste.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import classes from "./formatter.module.css";

/** The page that formats pasted HTML. Nothing is sent anywhere. */
export function FormatterPage() {
  usePageMeta(t("HTML Formatter"), t("Paste HTML and get it with one element per line."), "/format-html");
  const [html, setHtml] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const format = useMutation({ mutationFn: formatInWorker, onSuccess: setHtml });
  return (
    <Page>
      <PageHead
        title={t("HTML Formatter")}
        below={<p className="text-2">{t("Paste HTML to read it line by line. It stays in your browser.")}</p>}
      />
      <form
        className={classes["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (!format.isPending) format.mutate(html);
        }}
      >
        <Textarea
          ref={field}
          label={t("HTML")}
          placeholder={t("Paste HTML here")}
          rows={24}
          spellCheck={false}
          autoFocus
          value={html}
          readOnly={format.isPending}
          onPaste={refuseHugePaste}
          onChange={(event) => setHtml(event.currentTarget.value)}
          classNames={{ input: classes["input"] ?? "" }}
        />
        {format.isError && <InlineError title={t("The HTML could not be formatted")} detail={format.error.message} />}
        <Acts
          html={html}
          isPending={format.isPending}
          onClear={() => {
            setHtml("");
            format.reset();
            // the pressed button becomes disabled and would lose the focus
            field.current?.focus();
          }}
        />
      </form>
    </Page>
  );
}

interface ActsProps {
  html: string;
  /** Whether it is being formatted. */
  isPending: boolean;
  onClear: () => void;
}

function Acts({ html, isPending, onClear }: ActsProps) {
  const lines = html === "" ? 0 : html.split("\n").length;
  return (
    <div className={classes["actions"]}>
      <Button
        type="submit"
        leftSection={<IconWand size={15} aria-hidden />}
        disabled={html === ""}
        {...(isPending ? resting : undefined)}
      >
        {isPending ? t("Formatting…") : t("Format")}
      </Button>
      <Button
        variant="default"
        leftSection={<IconEraser size={15} aria-hidden />}
        disabled={html === "" || isPending}
        onClick={onClear}
      >
        {t("Clear")}
      </Button>
      <CopyButton label={t("Copy")} text={() => html} disabled={html === ""} />
      <span className={`mono text-2 ${classes["size"]}`}>
        {counted(lines, "line")}, {counted(html.length, "character")}
      </span>
    </div>
  );
}
