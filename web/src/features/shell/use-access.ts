import { useEffect, useState, useSyncExternalStore } from "react";
import { onRefusal, wasRefused } from "../../api/api-auth.js";

/** Whether the dialog for API access is shown: when it is asked for, and once whenever the server turns this browser away. */
export function useAccess(): { opened: boolean; open: () => void; close: () => void } {
  const refused = useSyncExternalStore(onRefusal, wasRefused);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    if (refused) setOpened(true);
  }, [refused]);
  return { opened, open: () => setOpened(true), close: () => setOpened(false) };
}
