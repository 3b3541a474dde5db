export { PrivacyPage as Component } from "../features/legal/legal-page.js";
