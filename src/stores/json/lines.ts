/** A list with one record per line. */
export function arrayText(items: readonly unknown[]): string {
  if (items.length === 0) return '[]';
  return `[\n${items.map((item) => `    ${inline(item)}`).join(',\n')}\n  ]`;
}

/** A JSON value on one line, with blanks between its parts. */
export function inline(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}: ${inline(member)}`);
  return `{ ${members.join(', ')} }`;
}
