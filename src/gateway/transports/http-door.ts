/**
 * How HTTP is protected at one address: which requests need a token, which host names are accepted, and which proxies
 * are trusted.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

export interface HttpDoor {
  /** Whether other machines can connect, directly or through a proxy. */
  readonly isRemote: boolean;
  /** Whether a request without a token is refused. */
  readonly needsToken: boolean;
  /** Certificate and key, as PEM. */
  readonly tls?: TlsFiles;
  /** Where clients reach the gateway, such as `https://pml.example.com`; default: the address that it listens on. */
  readonly publicUrl?: string;
  /** Accepted host names, besides those of loopback and IP addresses. */
  readonly hosts: readonly string[];
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  readonly proxies: readonly string[];
  /** The rate limit of one token. */
  readonly requestsPerSecond?: number;
}

export interface TlsFiles {
  /** Reads both files again; throws if one cannot be read. */
  read(): { readonly cert: string; readonly key: string };
  /** Changes when one of the files does. */
  stamp(): string;
}

/** For a gateway that only its own machine can reach. */
export const LOOPBACK_DOOR: HttpDoor = { isRemote: false, needsToken: false, hosts: [], proxies: [] };

/** Whether text is an address or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const kind = isIP(address);
  if (kind === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (kind === 4 ? 32 : 128));
}

/** Finds the origin of requests. The headers of a request count only if a configured proxy has passed it on. */
export class Addresses {
  readonly #proxies = new BlockList();
  readonly #hasProxies: boolean;

  constructor(proxies: readonly string[]) {
    this.#hasProxies = proxies.length > 0;
    for (const one of proxies) {
      const [address = "", bits] = one.split("/");
      const family = isIP(address) === 4 ? "ipv4" : "ipv6";
      if (bits === undefined) this.#proxies.addAddress(address, family);
      else this.#proxies.addSubnet(address, Number(bits), family);
    }
  }

  /** The address of the client: the last one that is not a configured proxy. */
  of(req: IncomingMessage): string {
    const remote = plainAddress(req.socket.remoteAddress ?? "");
    if (!this.#isProxy(remote)) return remote;
    const forwarded = String(req.headers["x-forwarded-for"] ?? "")
      .split(",")
      .map((part) => plainAddress(part.trim()))
      .reverse();
    const first = forwarded.find((address) => !this.#isProxy(address));
    return first !== undefined && isIP(first) !== 0 ? first : remote;
  }

  /** Whether an unknown proxy has passed the request on: then its sender can be anywhere. */
  isPassedOn({ headers, socket }: IncomingMessage): boolean {
    const isSaid = FORWARDED.some((name) => headers[name] !== undefined);
    return isSaid && !this.#isProxy(plainAddress(socket.remoteAddress ?? ""));
  }

  #isProxy(address: string): boolean {
    const kind = isIP(address);
    return this.#hasProxies && kind !== 0 && this.#proxies.check(address, kind === 4 ? "ipv4" : "ipv6");
  }
}

const FORWARDED = [
  ...["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"],
  ...["x-real-ip", "cf-connecting-ip"],
];

/** IPv4-mapped addresses in the usual IPv4 form. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Why the host or the origin of a request is rejected, or undefined. A web page can point its own name to any address;
 * an IP address instead of a name cannot be used for that.
 */
export function whyWrongHost(
  { isRemote, hosts }: HttpDoor,
  { headers }: IncomingMessage,
): string | undefined {
  const host = hostnameOf(`http://${headers.host ?? ""}`);
  if (host === undefined) return "its Host header is missing or cannot be read";
  const isAddress = isRemote && isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0;
  const isKnown = (name: string) => LOOPBACK_NAMES.includes(name) || (isRemote && hosts.includes(name));
  if (!isAddress && !isKnown(host))
    return `its Host is ${JSON.stringify(host.slice(0, 100))}, which is not a name of this gateway`;
  const { origin } = headers;
  if (origin === undefined) return undefined;
  const from = hostnameOf(origin);
  if (from !== undefined && (isKnown(from) || (isAddress && from === host))) return undefined;
  return `its Origin is ${JSON.stringify(origin.slice(0, 100))}`;
}

function hostnameOf(url: string): string | undefined {
  try {
    const { hostname } = new URL(url);
    return hostname === "" ? undefined : hostname;
  } catch {
    return undefined;
  }
}
