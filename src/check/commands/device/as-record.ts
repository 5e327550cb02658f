/** The members of a JSON object, or undefined when the text is none. */
export function asRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The caller says what that means.
  }
  return undefined;
}
