import { type Occupancy, peopleInside } from '../../../core/records.ts';
import type { Event } from '../wire/organisation.ts';

const NOBODY = { entered: 0, exited: 0, resetAt: null };

/** How many are inside an event. @param counted undefined where nobody went in or out yet */
export function insideView(counted: Occupancy | undefined): Event['inside'] {
  const { entered, exited, resetAt } = counted ?? NOBODY;
  return { people: peopleInside({ entered, exited }), entered, exited, resetAt };
}
