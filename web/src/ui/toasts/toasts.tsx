import { Notifications, notifications } from "@mantine/notifications";
import {
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleXFilled,
  IconInfoCircleFilled,
} from "@tabler/icons-react";
import { Link } from "react-router";
import { limits } from "@web-tester/contracts/limits";
import { t } from "../../texts/text.js";
import { admitToast, emptyToastMemory, toastKey, toastLeft, type ToastType } from "./toast-rules.js";
import classes from "./toasts.module.css";

const looks = {
  success: { word: "Success", icon: IconCircleCheckFilled, className: classes["success"] },
  error: { word: "Error", icon: IconCircleXFilled, className: classes["error"] },
  warning: { word: "Warning", icon: IconAlertTriangleFilled, className: classes["warning"] },
  info: { word: "Info", icon: IconInfoCircleFilled, className: classes["info"] },
} as const;

let memory = emptyToastMemory;

/** The target of a toast's link. */
export interface ToastLink {
  readonly to: string;
  readonly label: string;
}

/** An action of a toast, and how long the toast stays for it. */
export interface ToastAct {
  /** Id of what it undoes: each has its own toast, whatever the words. */
  readonly id: string;
  /** What the toast is about; shown after the message. */
  readonly about: string;
  readonly label: string;
  readonly act: () => void;
  readonly durationMs: number;
}

/** Why something failed, in a second line; it does not make a toast another one. */
export interface ToastCause {
  readonly cause: string;
}

const partClasses = {
  icon: classes["icon"],
  title: classes["title"],
  description: classes["message"],
  closeButton: classes["close"],
  root: classes["root"],
  body: classes["body"],
};

/** Shows a toast at the bottom right, unless `admitToast` rejects it as a repetition. */
export function toast(type: ToastType, message: string, more?: ToastLink | ToastAct | ToastCause): void {
  const act = more !== undefined && "act" in more ? more : undefined;
  const link = more !== undefined && "to" in more ? more : undefined;
  const cause = more !== undefined && "cause" in more ? more.cause : undefined;
  const said = { type, message, takesBack: act?.id };
  const admitted = admitToast(memory, said, Date.now());
  memory = admitted.memory;
  for (const key of admitted.evict) notifications.hide(key);
  if (!admitted.show) return;
  const key = toastKey(said);
  const { word, icon: Icon, className } = looks[type];
  const hide = () => notifications.hide(key);
  notifications.show({
    id: key,
    title: t(word),
    message:
      act !== undefined ? (
        <WithAct message={message} act={act} onLeave={hide} />
      ) : link !== undefined ? (
        <WithLink message={message} link={link} onLeave={hide} />
      ) : cause !== undefined ? (
        <WithCause message={message} cause={cause} />
      ) : (
        message
      ),
    icon: <Icon size={18} aria-hidden />,
    autoClose: act?.durationMs ?? limits.toastDurationMs,
    role: type === "error" ? "alert" : "status",
    className,
    classNames: partClasses,
    closeButtonProps: { "aria-label": t("Close: {message}", { message }), size: 28, iconSize: 16 },
    withBorder: true,
    onClose: () => {
      memory = toastLeft(memory, key);
    },
  });
}

function WithAct({ message, act, onLeave }: { message: string; act: ToastAct; onLeave: () => void }) {
  return (
    <>
      {message}
      <span className={classes["act"]}>
        <span className="truncate" title={act.about}>
          {act.about}
        </span>
        <button
          type="button"
          className="link"
          onClick={() => {
            onLeave();
            act.act();
          }}
        >
          {act.label}
        </button>
      </span>
    </>
  );
}

function WithLink({ message, link, onLeave }: { message: string; link: ToastLink; onLeave: () => void }) {
  return (
    <>
      {message}{" "}
      <Link to={link.to} className="link" onClick={onLeave}>
        {link.label}
      </Link>
    </>
  );
}

function WithCause({ message, cause }: { message: string; cause: string }) {
  return (
    <>
      {message}
      {/* the words may have it already */}
      {!message.includes(cause) && <span className={classes["cause"]}>{cause}</span>}
    </>
  );
}

/** The place where toasts appear; rendered once, by the layout. */
export function Toasts() {
  return (
    <Notifications
      position="bottom-right"
      containerWidth={360}
      transitionDuration={limits.toastExitMs}
      limit={8}
      zIndex={500}
      pauseResetOnHover="notification"
      className={classes["container"]}
    />
  );
}
