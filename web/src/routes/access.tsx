export { AccessPage as Component } from "../features/access/access-page.js";
