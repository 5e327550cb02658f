const CURSOR = /^#(\d{1,15})$/;

/** The `next` of a page of tickets: a number alone, because the ticket there may be another organisation's. */
export function cursorOf(place: number): string {
  return `#${place}`;
}

/** Before the first ticket. */
export const START = cursorOf(0);

/** The number in a cursor; undefined for a ticket id, which may stand in its place. */
export function placeOf(after: string): number | undefined {
  const found = CURSOR.exec(after);
  return found ? Number(found[1]) : undefined;
}
