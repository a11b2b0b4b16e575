/** How to sign in to a server, according to its entry in the configuration. */
export interface AuthSettings {
  /** A client that the authorization server already knows. Without it PML registers itself. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The address of a client metadata document, which is the client id if the authorization server supports it. */
  readonly clientMetadataUrl?: string;
  /** Replaces the scopes that the server requests. */
  readonly scopes?: readonly string[];
  /** The only authorization server that is accepted. */
  readonly issuer?: string;
  /** The redirect address for the browser. */
  readonly redirectUrl: string;
  /** The owner of the sign-in. */
  readonly per: "installation" | "user";
}

/** Fixed, because many authorization servers compare the whole address. */
export const CALLBACK_URL = "http://127.0.0.1:41739/callback";
