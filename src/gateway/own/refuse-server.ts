import { PmlError } from "../../base/pml-error.js";
import { isServerName } from "../../registry/server-directory.js";

/** Records of servers follow the configuration: throws `NOT_ALLOWED` for whoever wants to change one. */
export function refuseServer(name: string): void {
  if (!isServerName(name)) return;
  throw new PmlError(
    "NOT_ALLOWED",
    `${name.slice(0, 200)} is a server: change its entry in the configuration`,
  );
}
