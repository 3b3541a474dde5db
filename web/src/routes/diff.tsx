export { DiffPage as Component } from "../features/diff/diff-page.js";
