export { AnythingPage as Component } from "../features/diff/anything/anything-page.js";
