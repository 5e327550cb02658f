/** The organisation that `seed` makes beside the sample, so that a check can show the ticket of another one. */
export const SAMPLE_NEIGHBOUR = 'Sample neighbour';

/** True for such an organisation: it is never meant where no organisation is named. */
export function isSampleNeighbour({ name }: { readonly name: string }): boolean {
  return name.replace(/ \d+$/, '') === SAMPLE_NEIGHBOUR;
}
