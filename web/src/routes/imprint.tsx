export { ImprintPage as Component } from "../features/legal/legal-page.js";
