/** A number and its noun, which agree: `counted(1, 'scan')` is `1 scan`, `counted(2, 'try', 'tries')` is `2 tries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
