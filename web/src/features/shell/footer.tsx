import { Link } from "react-router";
import { t } from "../../texts/text.js";
import { legal } from "./navigation.js";
import classes from "./shell.module.css";

export function Footer() {
  return (
    <footer data-screen-only className={classes["footer"]}>
      <div className={classes["footerInner"]}>
        <span>© {new Date().getFullYear()} web-tester</span>
        {legal.map((item) => (
          <Link key={item.to} to={item.to}>
            {t(item.label)}
          </Link>
        ))}
      </div>
    </footer>
  );
}
