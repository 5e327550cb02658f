import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../kit/random.ts';
import { type Actor, type AdministeredStore, COMMAND_LINE } from './actor.ts';
import { EventRules } from './events/rules.ts';
import { KeyRules } from './keys/rules.ts';
import { OrganisationRules } from './organisations/rules.ts';

/** The actions of people on organisations, events and keys, in a dashboard or on the command line (section 2.1). */
export class Administration {
  readonly organisations: OrganisationRules;
  readonly events: EventRules;
  readonly keys: KeyRules;

  constructor(
    store: AdministeredStore,
    clock: Clock,
    random: RandomBytes,
    actor: Actor = COMMAND_LINE,
  ) {
    const deps = { store, clock, random, actor };
    this.organisations = new OrganisationRules(deps);
    this.events = new EventRules(deps);
    this.keys = new KeyRules(deps);
  }
}

/** The administration for a command on a store that it has opened. */
export function administrationOn({
  store,
  clock,
}: {
  readonly store: AdministeredStore;
  readonly clock: Clock;
}): Administration {
  return new Administration(store, clock, randomBytes);
}
