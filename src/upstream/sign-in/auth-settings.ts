/** How a server is signed in to, as its entry in the configuration says. */
export interface AuthSettings {
  /** A client that the authorization server knows already. Without it PML registers itself. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The address of a client metadata document, which is the client id where the authorization server takes it. */
  readonly clientMetadataUrl?: string;
  /** In place of what the server asks for. */
  readonly scopes?: readonly string[];
  /** The only authorization server that is accepted. */
  readonly issuer?: string;
  /** Where the browser comes back to. */
  readonly redirectUrl: string;
  /** The owner of the sign-in. */
  readonly per: "installation" | "user";
}

/** Fixed, because many authorization servers compare the whole address. */
export const CALLBACK_URL = "http://127.0.0.1:41739/callback";
