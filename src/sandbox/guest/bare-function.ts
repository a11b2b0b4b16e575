import { deleteProperty, preventExtensions, setPrototypeOf } from "./primordials.js";

/** Returns a function without properties, and without a prototype that would lead to a function constructor. */
export function bareFunction<Call extends (...given: unknown[]) => unknown>(call: Call): Call {
  setPrototypeOf(call, null);
  deleteProperty(call, "length");
  deleteProperty(call, "name");
  return preventExtensions(call);
}
