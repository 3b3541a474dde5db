/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** Address of the API where the server offers no /config.json, for example http://127.0.0.1:8080. */
  readonly VITE_API_BASE?: string;
  /** Legal details of the provider, for the imprint; line breaks in the address are kept. */
}
