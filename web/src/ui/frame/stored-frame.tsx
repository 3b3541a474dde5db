import { useState } from "react";
import classes from "./stored-frame.module.css";

/**
 * A stored page in a sandbox without any permission: no scripts, no forms, no windows, an opaque origin. The server's answer sets the
 * same restrictions by its headers.
 * @param address where the server shows it (`render` of a snapshot)
 */
export function StoredFrame({ address, title, height }: { address: string; title: string; height?: number }) {
  const [loaded, setLoaded] = useState(false);
  return (
    <div className={classes["box"]} style={height === undefined ? undefined : { height }} aria-busy={!loaded}>
      {!loaded && <div className={classes["waiting"]} aria-hidden />}
      <iframe
        key={address}
        src={address}
        title={title}
        sandbox=""
        referrerPolicy="no-referrer"
        className={classes["frame"]}
        onLoad={() => setLoaded(true)}
      />
    </div>
  );
}
