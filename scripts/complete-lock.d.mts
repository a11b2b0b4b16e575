export interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export function missingOptional(
  packages: Readonly<Record<string, LockedPackage>>,
): readonly { readonly path: string; readonly name: string; readonly range: string }[];
