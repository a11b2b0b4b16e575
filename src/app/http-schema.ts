/**
 * The section `http` of the configuration.
 *
 * @module
 */
import { z } from "zod";
import { isSecureAddress } from "../base/secure-address.js";
import { isNetwork } from "../gateway/transports/http-door.js";
import { TOKEN_ROLES } from "../registry/role.js";

const roles = z.record(z.string().min(1), z.enum(TOKEN_ROLES));

const issuer = z.strictObject({
  issuer: z
    .url({ protocol: /^https?$/ })
    .refine((text) => !URL.canParse(text) || isSecureAddress(new URL(text)), {
      error: "expected an address with https:, or with http: on this machine",
    })
    .describe("URL of the issuer, exactly as in `iss` of its tokens; https, or http on this machine"),
  audience: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe("Audience that a token must have; the URL of the MCP endpoint by default"),
  roles: roles
    .optional()
    .describe(
      "Which scope of a token gives which role; default: pml:agent, pml:person and pml:reader. A token without such a scope is refused",
    ),
  scopes: roles.optional().describe("Alias of `roles`; both are used"),
  claims: z
    .strictObject({
      org: z
        .string()
        .min(1)
        .optional()
        .describe("Claim that holds the org; default: the org of the configuration"),
      project: z
        .string()
        .min(1)
        .optional()
        .describe("Claim that holds the project; default: the project of the configuration"),
      user: z
        .string()
        .min(1)
        .optional()
        .describe("Claim that holds the user; default: `sub` with a suffix for the issuer"),
    })
    .optional()
    .describe("Claims of the token that name its org, project and user"),
});

export const httpSchema = z.strictObject({
  host: z.string().optional().describe("Address for `pml serve --http`; 127.0.0.1 by default"),
  port: z.int().min(0).max(65_535).optional().describe("Port for `pml serve --http` without a port"),
  tls: z
    .strictObject({
      cert: z.string().min(1).describe("Path of the certificate, PEM, with its chain"),
      key: z.string().min(1).describe("Path of its key, PEM"),
    })
    .optional()
    .describe("Serve HTTPS; changed files are reloaded within a minute"),
  trustProxy: z
    .array(z.string().refine(isNetwork, { error: "expected an address or a network such as 10.0.0.0/8" }))
    .optional()
    .describe(
      "Addresses and networks of TLS proxies in front of the gateway; their X-Forwarded-For is trusted",
    ),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .refine((text) => URL.canParse(text) && new URL(text).pathname === "/" && !/[?#]/.test(text), {
      error: "expected a URL without a path",
    })
    .optional()
    .describe("Where clients reach the gateway, such as https://pml.example.com"),
  allowedHosts: z
    .array(z.string().min(1).max(253))
    .optional()
    .describe("Additional host names that the gateway accepts in the Host header"),
  requestsPerSecond: z
    .number()
    .min(0.1)
    .optional()
    .describe(
      "Requests per second with one token, with bursts of ten times as many; by default 100, with bursts of 2000",
    ),
  oauth: z
    .strictObject({
      issuers: z.array(issuer).min(1).max(20).describe("Issuers whose JWTs are accepted"),
    })
    .optional()
    .describe("PML as an OAuth resource server (docs/guides/team.md)"),
});

export type HttpConfig = z.infer<typeof httpSchema>;
