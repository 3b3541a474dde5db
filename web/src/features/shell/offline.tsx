import { useNetwork } from "@mantine/hooks";
import { IconWifiOff } from "@tabler/icons-react";
import { t } from "../../texts/text.js";
import classes from "./shell.module.css";

/** Says that the machine has no network: what is shown may be old, and is read again when it is back. */
export function Offline() {
  const { online } = useNetwork();
  if (online) return null;
  return (
    <p className={classes["offline"]} role="status">
      <IconWifiOff size={16} aria-hidden />{" "}
      {t(
        "You are offline. What is shown may be old, and nothing can be started; it goes on by itself when the network is back.",
      )}
    </p>
  );
}
