/** For a sentence of an audit: the uses of a ticket that the log does not hold, because they were imported or pruned. */
export function unloggedInWords(uses: number): string {
  return uses > 0 ? ` and ${uses} more were imported or pruned` : '';
}
