/** Parses an option that may be repeated: all its texts, in their order. */
export function collected(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}
