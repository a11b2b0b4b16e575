export function bundle(entry: string): string;
export function bundleInPlace(entry: string): void;
