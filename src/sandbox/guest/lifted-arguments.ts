import { create, hasOwn, keys, setOwn } from "./primordials.js";

type Arguments = Readonly<Record<string, unknown>>;

/** Separates the arguments for the code from those that replace literals. */
export function takeLifted(
  args: Arguments,
  names: readonly string[],
): { readonly args: Arguments; readonly lifted: Arguments } {
  const isLifted = create(null) as Record<string, true>;
  for (let index = 0; index < names.length; index += 1) isLifted[names[index] as string] = true;
  const rest: Record<string, unknown> = {};
  const lifted = create(null) as Record<string, unknown>;
  const given = keys(args);
  for (let index = 0; index < given.length; index += 1) {
    const name = given[index] as string;
    setOwn(hasOwn(isLifted, name) ? lifted : rest, name, args[name]);
  }
  return { args: rest, lifted };
}
