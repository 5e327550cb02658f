/** Characters of an id. As a number to the base of 36, they fit into the 53 bits of a number together with a place in the list. */
const DIGITS = 5;
const PLACES_MAX = 2 ** 26;

interface Listed {
  readonly ticket: { readonly id: string; readonly eventId: string };
}

/**
 * Tickets nearly in the order of their ids, so that those of a batch are neighbours in the index of a store: ids are random, and of
 * a list in any other order nearly each ticket of a batch changes a page of its own. Ids that `DIGITS` characters do not tell
 * apart stay in their order; numbers are sorted ten times as fast as texts.
 */
export function inIndexOrder<Item extends Listed>(items: readonly Item[]): Item[] {
  const events = [...Map.groupBy(items, ({ ticket }) => ticket.eventId)];
  events.sort(([a], [b]) => (a < b ? -1 : 1));
  return events.flatMap(([, ofEvent]) => byDigits(ofEvent));
}

function byDigits<Item extends Listed>(items: readonly Item[]): Item[] {
  const start = commonLength(items);
  const keys = new Float64Array(items.length);
  for (const [place, { ticket }] of items.entries()) {
    // Not a number where the id ends here: a shorter one than all others.
    const digits = Number.parseInt(ticket.id.slice(start, start + DIGITS), 36) || 0;
    keys[place] = digits * PLACES_MAX + place;
  }
  return Array.from(keys.sort(), (key) => items[key % PLACES_MAX] as Item);
}

/** How many characters all ids begin with: those of the event, and the zeros of ids that were counted. */
function commonLength(items: readonly Listed[]): number {
  const first = items[0]?.ticket.id ?? '';
  let length = first.length;
  for (const { ticket } of items) {
    while (!ticket.id.startsWith(first.slice(0, length))) length -= 1;
  }
  return length;
}
