export { ChangesPage as Component } from "../features/access/changes-page.js";
