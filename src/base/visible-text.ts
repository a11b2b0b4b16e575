/** Escapes control and invisible characters, so that a text cannot hide part of itself. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  );
}

/**
 * Removes invisible characters: control, zero-width and tag characters, direction marks, lone surrogates. Tabs and line
 * breaks stay. For texts that people write about their own things, because a model would read what a person cannot see.
 */
export function withoutInvisible(text: string): string {
  return text.replace(/(?![\t\n\r])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu, "");
}
