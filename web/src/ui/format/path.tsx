import classes from "./path.module.css";

/** From here on a path is cut in two, the last of which stays visible; its characters at most. */
const cutFromChars = 24;
const tailMaxChars = 30;

interface Props {
  path: string;
  /** The full address, where the path is not all of it. */
  title?: string;
  className?: string | undefined;
}

/** Where the last part of a path begins. */
function tailOf(path: string): number {
  if (path.length <= cutFromChars) return 0;
  const at = Math.max(path.lastIndexOf("/", path.length - 2), path.length - tailMaxChars, 0);
  // not between the two halves of one character
  return /[\uDC00-\uDFFF]/.test(path.charAt(at)) ? at + 1 : at;
}

/** A path that is shortened in its middle where room is short: its end, where the paths of a site differ, stays visible. */
export function Path({ path, title = path, className = "" }: Props) {
  const tail = tailOf(path);
  return (
    <span className={`mono ${classes["path"]} ${className}`} title={title}>
      <span className={classes["head"]}>{path.slice(0, tail)}</span>
      <span className={classes["tail"]}>
        <bdi dir="ltr">{path.slice(tail)}</bdi>
      </span>
    </span>
  );
}
