/** What was chosen on this browser before; undefined when it keeps nothing, as in some private windows. */
export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a choice for the next visit where the browser lets us. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The choice holds for this visit only.
  }
}
