export { VisualPage as Component } from "../features/diff/visual/visual-page.js";
