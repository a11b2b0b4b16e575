/**
 * The one error class of PML: a stable code for machines, a sentence for people, and a hint.
 *
 * @module
 */

/** Codes are part of the public interface: one is never renamed or reused for something else. */
export type PmlErrorCode =
  /**
   * A name that is already taken: of a capability by other code, an alias, a reserved name or a real tool; of a token.
   */
  | "NAME_TAKEN"
  /** The arguments of a step of a merged capability cannot be inferred. */
  | "MERGE_UNCLEAR"
  /** Another version of the capability already has this tag. */
  | "TAG_TAKEN"
  /** A well-formed reference without a capability that the caller may see. */
  | "CAPABILITY_NOT_FOUND"
  /** A capability that was deleted; its name is reserved for a while. */
  | "CAPABILITY_DELETED"
  /** The project already has a capability with the same code. */
  | "CAPABILITY_EXISTS"
  /** A capability was renamed since the caller last read it. */
  | "CAPABILITY_CHANGED"
  /** The capability exists, the version does not. */
  | "VERSION_NOT_FOUND"
  /** Code that cannot be parsed; the message has line, column and the line itself. */
  | "CODE_SYNTAX"
  /** Code that uses features that the sandbox does not have, such as `import`. */
  | "CODE_REFUSED"
  /** Code that ran and threw, or returned a value that cannot be written as JSON. */
  | "RUN_FAILED"
  /** A run that its caller cancelled. */
  | "RUN_CANCELLED"
  /** The sandbox cannot be started, or was lost during the run. */
  | "SANDBOX_FAILED"
  /** No such run of this caller, including runs that wait for approval. */
  | "RUN_NOT_FOUND"
  /** A run that is already in progress, here or on another gateway. */
  | "RUN_BUSY"
  /** A run that has ended: its approval is no longer valid, and its answer has expired. */
  | "RUN_ENDED"
  /** A continued run took a different path than before and was stopped. */
  | "RUN_DIVERGED"
  /** A call was sent and its outcome is unknown; a person decides. */
  | "CALL_IN_DOUBT"
  /** A person rejected the run. */
  | "APPROVAL_REJECTED"
  /** The approval was not given in time, or not used in time. */
  | "APPROVAL_EXPIRED"
  /** A task that its run does not have. */
  | "TASK_NOT_FOUND"
  /** The result of a task has expired. */
  | "RESULT_EXPIRED"
  /** A tool that has changed since it was first seen, and has not been accepted. */
  | "TOOL_QUARANTINED"
  /** An invalid graph of tasks: a cycle, an unknown id, a task without a tool. */
  | "DAG_INVALID"
  /** Code calls a tool that a person must allow first, or that is denied. */
  | "APPROVAL_REQUIRED"
  | "TOOL_DENIED"
  /** The caller may see it but not change it. */
  | "NOT_ALLOWED"
  /** An HTTP request without a required token, or with a wrong, expired or revoked one. */
  | "TOKEN_REFUSED"
  /** A valid token of an issuer without any rights here. */
  | "SCOPE_INSUFFICIENT"
  /** The keys of a token issuer cannot be read now. */
  | "ISSUER_UNAVAILABLE"
  /** No token has that name. */
  | "TOKEN_NOT_FOUND"
  /** The log of decisions was changed, or entries are missing. */
  | "AUDIT_BROKEN"
  /** A decision needs the PIN, and none was given. */
  | "PIN_REQUIRED"
  | "PIN_WRONG"
  /** Too many wrong PINs were given: the next attempt has to wait. */
  | "PIN_LOCKED"
  /** Stored code with an invalid signature, which never runs. */
  | "SIGNATURE_INVALID"
  /** A capability that may only run on a person's own machine, requested from an instance in the cloud. */
  | "ROUTING_REFUSED"
  /** A file that is not an export of capabilities, or was changed after the export. */
  | "IMPORT_INVALID"
  /** No run of the capability can be stored as a recording. */
  | "NOTHING_RECORDED"
  /** A file or directory without recordings of the expected form. */
  | "RECORDING_INVALID"
  /** A tool that the capability calls has changed, and no repair is possible without a person. */
  | "CAPABILITY_BROKEN"
  /** A file that is not a complete backup, or one that a newer PML wrote. */
  | "BACKUP_INVALID"
  /** Text that is not a public key. */
  | "KEY_INVALID"
  /** A text that is not a well-formed name of the requested kind. */
  | "NAME_INVALID"
  /** A well-formed name that nothing on the gateway has. */
  | "TOOL_NOT_FOUND"
  /** Arguments do not fit the schema of the tool. */
  | "ARGUMENTS_INVALID"
  /** A real server answered a call with a protocol error, or its answer could not be read. */
  | "TOOL_FAILED"
  /** A server that no MCP registry or file describes, or whose description PML cannot use. */
  | "SERVER_NOT_FOUND"
  /** A real server is not connected: it is starting, has died, or cannot be reached. */
  | "SERVER_UNAVAILABLE"
  /** A server that a person has to sign in to first. */
  | "SIGN_IN_REQUIRED"
  /** A sign-in to a server that failed. */
  | "SIGN_IN_FAILED"
  /** Bytes that are not a message of the protocol. */
  | "MESSAGE_INVALID"
  /** A number, a size or a time is over its limit; the message names the limit. */
  | "LIMIT_EXCEEDED"
  /** A prompt that no server has. */
  | "PROMPT_NOT_FOUND"
  /** A resource that no server has. */
  | "RESOURCE_NOT_FOUND"
  /** An address that templates of several servers match equally well. */
  | "RESOURCE_AMBIGUOUS"
  /** A request that waited for the user's answer no longer exists: expired, answered, or unknown. */
  | "INPUT_EXPIRED"
  /** The configuration file is missing, is not JSON, or contains an invalid value. */
  | "CONFIG_INVALID"
  /** A variable in the configuration that is not set. */
  | "VARIABLE_UNSET"
  /** A secret that is not in the secret store. */
  | "SECRET_UNKNOWN"
  /** A secret in the secret store that cannot be decrypted. */
  | "SECRET_UNREADABLE"
  /** A command that should print a value of the configuration failed. */
  | "EXEC_FAILED"
  /** A configuration that no person has accepted, or that became weaker since then; `pml trust FILE` accepts it. */
  | "CONFIG_UNTRUSTED"
  /** A client's configuration file that PML cannot read, edit or write. */
  | "CLIENT_FILE_INVALID"
  /** A client's configuration file was changed after PML wrote it, in the same lines; or during PML's work on it. */
  | "CLIENT_FILE_CHANGED"
  /** The running gateway of this data directory was started with other settings. */
  | "CONFIG_MISMATCH"
  /** Another process owns the data directory. */
  | "STORE_LOCKED"
  /** A data directory that this installation did not create and that was not adopted. */
  | "DATA_FOREIGN"
  /** The store cannot be opened or has failed. */
  | "STORE_FAILED"
  /** The embedding model cannot be started or reached, or did not answer in time. */
  | "EMBEDDER_FAILED"
  /** The gateway cannot be reached, started or understood through its local socket. */
  | "GATEWAY_UNREACHABLE"
  /** The gateway ended before it answered; it is unknown whether the request was executed. */
  | "GATEWAY_RESTARTED"
  /** A request of a web page that has not used the one-time link of `pml open`, or whose session has ended. */
  | "SESSION_REQUIRED"
  /** A request without the token that only the dashboard's own page knows. */
  | "CSRF_INVALID"
  /** Serving beyond this machine needs bearer tokens. */
  | "BIND_REFUSED"
  /** The command line is wrong. */
  | "USAGE";

export interface PmlErrorOptions {
  /** The remedy for the reader: one sentence. */
  readonly hint?: string | undefined;
  /** Values that belong to the error; never a secret. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export class PmlError extends Error {
  override readonly name = "PmlError";
  readonly code: PmlErrorCode;
  readonly hint: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: PmlErrorCode, message: string, options: PmlErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.data = options.data ?? {};
  }
}

/**
 * The form of an error in tool results, over the local socket, and in `--json` output. Values that belong to the error
 * are beside its code and message.
 */
export interface ErrorShape {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly [field: string]: unknown;
}

export function errorShape({ code, message, hint, data }: PmlError): ErrorShape {
  const shape = { code, message, ...(hint === undefined ? {} : { hint }) };
  // Spread twice, so that no value of the data replaces the error's own fields.
  return { ...shape, ...data, ...shape };
}

/** The inverse of {@link errorShape}, for an error from another process of PML. */
export function errorFromShape({ code, message, hint, ...data }: ErrorShape): PmlError {
  return new PmlError(code as PmlErrorCode, message, { hint, data });
}

/** The message of a thrown value, without its stack. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  if (typeof thrown !== "object" || thrown === null) return String(thrown);
  // Emscripten throws objects that are not errors.
  const { name, message, errno } = thrown as Readonly<Record<string, unknown>>;
  const said = [typeof message === "string" ? message : name, errno].filter((part) => part !== undefined);
  return said.length === 0 ? String(thrown) : said.join(" ");
}
