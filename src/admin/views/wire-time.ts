/** A time as it goes over the wire. */
export function wireTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
