export const PROGRAMS: readonly { readonly name: string }[];
