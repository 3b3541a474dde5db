import { Button, Modal } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconAlertTriangleFilled, IconEraser, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { t } from "../../texts/text.js";
import { clearLogs, closeConsole, toggleSubscription, useConsole } from "./console-store.js";
import { ConsoleLines } from "./console-lines.js";
import { otherProcessWarning } from "./other-process.js";
import classes from "./console.module.css";
import { Needs } from "../../ui/access/needs.js";

export default function ConsoleModal() {
  const opened = useConsole((state) => state.opened);
  const isPhone = useMediaQuery("(max-width: 47.99em)", false, { getInitialValueInEffect: false });
  return (
    <Modal.Root
      opened={opened}
      onClose={closeConsole}
      size={1040}
      yOffset="8vh"
      fullScreen={isPhone}
      classNames={{ content: classes["sheet"] ?? "" }}
    >
      <Modal.Overlay />
      <Modal.Content>
        <div className={classes["window"]}>
          <Head />
          <Warnings />
          <ConsoleLines />
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}

function Head() {
  const pid = useConsole((state) => state.pid);
  const wanted = useConsole((state) => state.wanted);
  const Glyph = wanted ? IconPlayerPause : IconPlayerPlay;
  return (
    <header className={classes["head"]}>
      <div className={classes["titles"]}>
        <Modal.Title className={classes["title"]}>
          {t("Live Job Console")}{" "}
          {pid !== undefined && <span className={classes["pid"]}>{t("pid {pid}", { pid: String(pid) })}</span>}
        </Modal.Title>
        <p className={classes["subtitle"]}>{t("Streaming logs from background jobs.")}</p>
      </div>
      <div className={classes["actions"]}>
        <Subscription />
        <Button
          variant="default"
          leftSection={<Glyph size={15} stroke={1.75} aria-hidden />}
          onClick={toggleSubscription}
        >
          {wanted ? t("Unsubscribe") : t("Subscribe")}
        </Button>
        <Needs call="clearLogs">
          <Button
            variant="default"
            leftSection={<IconEraser size={15} stroke={1.75} aria-hidden />}
            onClick={clearLogs}
          >
            {t("Clear logs")}
          </Button>
        </Needs>
      </div>
      <Modal.CloseButton aria-label={t("Close")} iconSize={18} className={classes["close"]} />
    </header>
  );
}

function Subscription() {
  const word = useConsole(({ subscribed, wanted }) =>
    subscribed ? t("Subscribed") : wanted ? t("Connecting…") : t("Not subscribed"),
  );
  return (
    <span className={classes["subscription"]} role="status">
      <span className={classes["dot"]} data-on={word === t("Subscribed") || undefined} aria-hidden />
      {word}
    </span>
  );
}

function Warnings() {
  const warning = useConsole(({ lines, pid }) => otherProcessWarning(lines, pid));
  const notice = useConsole((state) => state.notice);
  return [warning, notice].map(
    (words) =>
      words !== undefined && (
        <p key={words} className={classes["warning"]} role="status">
          <IconAlertTriangleFilled size={15} aria-hidden />
          {words}
        </p>
      ),
  );
}
