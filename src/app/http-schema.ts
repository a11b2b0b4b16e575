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
    .describe("Issuer of tokens, as it names itself in `iss`; with https, or http on this machine"),
  audience: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe("Audience that a token must have; the URL of the MCP endpoint by default"),
  roles: roles
    .optional()
    .describe(
      "Roles by scopes of the token; by default pml:agent, pml:person and pml:reader. A token without any is refused",
    ),
  scopes: roles.optional().describe("Another name of `roles`; both count"),
  claims: z
    .strictObject({
      org: z.string().min(1).optional().describe("Claim with the org; that of the configuration by default"),
      project: z
        .string()
        .min(1)
        .optional()
        .describe("Claim with the project; that of the configuration by default"),
      user: z
        .string()
        .min(1)
        .optional()
        .describe("Claim with the user; by default `sub` with a suffix that stands for the issuer"),
    })
    .optional()
    .describe("Claims of the token that name its org, project and user"),
});

export const httpSchema = z.strictObject({
  host: z.string().optional().describe("Address for `pml serve --http PORT`; 127.0.0.1 by default"),
  port: z.int().min(0).max(65_535).optional().describe("Checked, without effect yet"),
  tls: z
    .strictObject({
      cert: z.string().min(1).describe("Path of the certificate, PEM, with its chain"),
      key: z.string().min(1).describe("Path of its key, PEM"),
    })
    .optional()
    .describe("Serve HTTPS; renewed files are taken over within a minute"),
  trustProxy: z
    .array(z.string().refine(isNetwork, { error: "expected an address or a network such as 10.0.0.0/8" }))
    .optional()
    .describe("Proxies in front that speak TLS: addresses and networks whose X-Forwarded-For is trusted"),
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
    .describe("More host names that requests may be sent to"),
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
