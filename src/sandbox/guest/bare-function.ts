import { deleteProperty, preventExtensions, setPrototypeOf } from "./primordials.js";

/** Makes a function one without properties, and without a prototype that would lead to how functions are made. */
export function bareFunction<Call extends (...given: unknown[]) => unknown>(call: Call): Call {
  setPrototypeOf(call, null);
  deleteProperty(call, "length");
  deleteProperty(call, "name");
  return preventExtensions(call);
}
