/**
 * The schema of one server in `mcpServers`.
 *
 * @module
 */
import { z } from "zod";

const milliseconds = z.int().min(1).max(86_400_000);
const texts = z.record(z.string(), z.string());

const common = {
  disabled: z.boolean().optional().describe("Disable the server without deleting its entry"),
  names: z
    .enum(["prefixed", "bare"])
    .optional()
    .describe(
      "How its tools and prompts are named in lists: with the server's name as prefix (default), or without",
    ),
  protocol: z
    .enum(["auto", "2025", "2026"])
    .optional()
    .describe(
      "Protocol revision: negotiated (auto, default for HTTP), 2025-era (default for stdio, because some servers exit when asked) or 2026-07-28",
    ),
  timeoutMs: milliseconds.optional().describe("How long one call may take; 600000 by default"),
  trusted: z
    .boolean()
    .optional()
    .describe("true (default): the server's annotations of its tools decide approvals"),
  visibility: z
    .enum(["private", "project", "org", "public"])
    .optional()
    .describe("Who may see its record mcp:<name>; by default the project and every session of this gateway"),
  codeUrl: z
    .string()
    .min(1)
    .optional()
    .describe(
      "URL of its source code, for its record; by default npm:, pypi:, docker:, file:// or the URL, if the entry shows it",
    ),
};

// Entries are pasted from other clients, which have additional keys: those are ignored.
export const stdioServer = z.looseObject({
  type: z.literal("stdio").optional(),
  command: z
    .string()
    .min(1)
    .describe("The program to start, without a shell; ./x is relative to the configuration's directory"),
  args: z.array(z.string()).optional().describe("Its arguments"),
  env: texts
    .optional()
    .describe(
      "Environment variables of its process, in addition to PATH, HOME, USER, LANG and TMPDIR; it gets no others",
    ),
  envFile: z
    .string()
    .min(1)
    .optional()
    .describe(
      "A file with more variables, as NAME=value lines, relative to the configuration's directory; env overrides it",
    ),
  cwd: z
    .string()
    .optional()
    .describe(
      "Its working directory; by default the configuration's directory, or the home directory for the user's own configuration",
    ),
  ...common,
});

const auth = z
  .looseObject({
    clientId: z
      .string()
      .min(1)
      .optional()
      .describe("Id of an OAuth client at the authorization server; by default PML registers itself"),
    clientSecret: z
      .string()
      .min(1)
      .optional()
      .describe("Secret of that client, written as a reference to a kept secret"),
    clientMetadataUrl: z
      .url({ protocol: /^https$/ })
      .optional()
      .describe(
        "Address of a client metadata document, used as client id where the authorization server takes it",
      ),
    scopes: z
      .array(z.string().min(1))
      .optional()
      .describe("Scopes to ask for; by default those that the server names"),
    issuer: z
      .string()
      .min(1)
      .optional()
      .describe("The only authorization server that is accepted; by default any that the server names"),
    redirectUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Address to which the browser returns; default: http://127.0.0.1:41739/callback"),
    per: z
      .enum(["installation", "user"])
      .optional()
      .describe(
        "Who shares the sign-in: all users of this installation (default), or each user has their own",
      ),
  })
  .describe(
    "How to sign in with OAuth; false turns it off. Headers with an Authorization turn it off as well",
  );

export const httpServer = z.looseObject({
  type: z.enum(["http", "streamable-http", "sse"]).optional().describe("http (default) is Streamable HTTP"),
  url: z.url({ protocol: /^https?$/ }).describe("Address of an HTTP server"),
  headers: texts.optional().describe("Headers of every request to it"),
  auth: z
    .union([auth, z.literal(false)])
    .optional()
    .describe("How to sign in with OAuth; false turns it off, and so does an Authorization in headers"),
  ...common,
});
