/**
 * How HTTP is protected with these settings. Beyond this machine it is refused unless TLS or a configured proxy
 * protects the traffic; requests then need a token.
 *
 * @module
 */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf, PmlError } from "../base/pml-error.js";
import { isLoopback } from "../base/secure-address.js";
import { type HttpDoor, LOOPBACK_DOOR, type TlsFiles } from "../gateway/transports/http-door.js";
import { configProblem } from "./config-file.js";
import { loadConfig } from "./config-schema.js";
import type { HttpConfig } from "./http-schema.js";
import type { Settings } from "./settings.js";

/** Throws `BIND_REFUSED` if HTTP at this address would not be protected. */
export function httpDoor(host: string, { config: file }: Pick<Settings, "config">): HttpDoor {
  const { http = {} } = loadConfig(file).config;
  const isLocal = isLoopback(host);
  const proxies = http.trustProxy ?? [];
  const isRemote = !isLocal || proxies.length > 0;
  if (!isLocal && http.tls === undefined && proxies.length === 0) {
    throw new PmlError(
      "BIND_REFUSED",
      `Cannot serve on "${host}": beyond this machine HTTP needs TLS, or a proxy that is named in the configuration`,
      {
        hint: `Set http.tls to { "cert": FILE, "key": FILE } or http.trustProxy to the addresses of the proxy in "${file.file}", and create tokens with \`pml token create NAME\`. Without these, omit the host.`,
      },
    );
  }
  return {
    ...LOOPBACK_DOOR,
    isRemote,
    needsToken: isRemote || http.oauth !== undefined,
    hosts: hostsOf(http),
    proxies,
    ...(http.tls === undefined ? {} : { tls: tlsFiles(http.tls, file) }),
    ...(http.publicUrl === undefined ? {} : { publicUrl: new URL(http.publicUrl).origin }),
    ...(http.requestsPerSecond === undefined ? {} : { requestsPerSecond: http.requestsPerSecond }),
  };
}

function hostsOf({ publicUrl, allowedHosts = [] }: HttpConfig): readonly string[] {
  const names = allowedHosts.map((name) => name.toLowerCase());
  return publicUrl === undefined ? names : [new URL(publicUrl).hostname, ...names];
}

/** Resolves the configured paths against the configuration's directory. */
function tlsFiles(
  tls: NonNullable<HttpConfig["tls"]>,
  { file, directory }: { readonly file: string; readonly directory: string },
): TlsFiles {
  const paths = { cert: resolve(directory, tls.cert), key: resolve(directory, tls.key) };
  const text = (key: "cert" | "key") => {
    try {
      return readFileSync(paths[key], "utf8");
    } catch (error) {
      throw configProblem(file, `http.tls.${key}`, `the file cannot be read: ${messageOf(error)}`);
    }
  };
  return {
    read: () => ({ cert: text("cert"), key: text("key") }),
    stamp: () =>
      Object.values(paths)
        .map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
        .join(),
  };
}

/** The summary for `pml serve --http` in `pml doctor`. */
export function httpProtection({ config }: Pick<Settings, "config">): string {
  const { http = {} } = loadConfig(config).config;
  const { tls, trustProxy = [], oauth, host = "127.0.0.1" } = http;
  const where = isLoopback(host) ? "this machine only" : `beyond this machine, at ${host}`;
  const way = [
    ...(tls === undefined ? [] : ["TLS"]),
    ...(trustProxy.length === 0 ? [] : [`behind ${trustProxy.join(", ")}`]),
    ...(oauth === undefined ? [] : [`tokens of ${oauth.issuers.map(({ issuer }) => issuer).join(", ")}`]),
  ];
  const isOpen = isLoopback(host) && trustProxy.length === 0 && oauth === undefined;
  return [
    where,
    ...way,
    isOpen ? "requests without a token have the role agent" : "every request needs a token",
  ].join("; ");
}
