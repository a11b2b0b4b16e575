/** Whether a host, as addresses have it, is this machine whatever the network says. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}

/** Whether what is sent there can be read by nobody in between: HTTPS, or HTTP that does not leave this machine. */
export function isSecureAddress({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
