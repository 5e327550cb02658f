import { type Home, isAtSite } from '../../src/core/event-home.ts';
import type { SHOWN_BY } from './bounds.ts';
import { type Protocol, RIGHT } from './protocol.ts';

/** A faulty centre or site; the search must find what it breaks. */
export interface Twin {
  /** What it does, after "a centre" or "a site". */
  readonly name: string;
  readonly shownBy: keyof typeof SHOWN_BY;
  readonly protocol: Protocol;
}

function twin(name: string, shownBy: Twin['shownBy'], faulty: Partial<Protocol>): Twin {
  return { name, shownBy, protocol: { ...RIGHT, ...faulty } };
}

const home = (epoch: number): Home => ({ at: 'centre', epoch });

export const TWINS: readonly Twin[] = [
  twin('a centre that decides until the site has the event', 'moves', {
    decidesAtCentre: ({ at }) => at === 'centre' || at === 'leaving',
  }),
  twin('a centre that does not wait for the site when it asks the event back', 'moves', {
    askedBack: (one) => (one.at === 'centre' ? undefined : home(one.epoch)),
  }),
  twin('a centre that takes back at once what the site seems not to have taken', 'moves', {
    askedBack: (one) => (one.at === 'leaving' ? home(one.epoch) : RIGHT.askedBack(one)),
  }),
  twin('a centre that gives one event to two sites', 'sites', {
    givenAway: (one, site) => ({ at: 'leaving', epoch: one.epoch + 1, site }),
  }),
  twin('a centre that takes an event home though rows are missing', 'moves', {
    heard: (one, word, stored) =>
      one.at === 'returning' && word.isClosed && word.epoch === one.epoch
        ? home(one.epoch)
        : RIGHT.heard(one, word, stored),
  }),
  twin('a centre that takes an event home though its last row is missing', 'moves', {
    heard: (one, word, stored) => RIGHT.heard(one, word, stored + 1),
  }),
  twin('a centre that counts repeated rows again', 'moves', {
    placeOfRow: () => 'next',
  }),
  twin('a centre that keeps rows though others before them are missing', 'moves', {
    placeOfRow: (row, stored) => (row.number > stored ? 'next' : 'known'),
  }),
  twin('a centre that takes a row of an earlier stay for one of this', 'moves', {
    isOfThisStay: (one, { site }) => isAtSite(one) && one.site === site,
  }),
  twin('a centre that takes the word of an earlier stay for one of this', 'moves', {
    heard: (one, word, stored) => RIGHT.heard(one, { ...word, epoch: one.epoch }, stored),
  }),
  twin('a centre that does not count what a site sends', 'moves', {
    isOfThisStay: () => false,
  }),
  twin('a centre that drops what a lost site sends later', 'moves', {
    placeOfRow: (row, stored) => (row.epoch === 0 ? 'known' : RIGHT.placeOfRow(row, stored)),
  }),
  twin('a centre that is restored and does not ask its sites', 'restoredCentre', {
    asking: (one) => one,
  }),
  twin('a restored centre that asks one site and not the others', 'restoredCentre', {
    answered: (one, ...heard) => {
      const right = RIGHT.answered(one, ...heard);
      return right.at === 'asking' && right !== one ? home(right.epoch) : right;
    },
  }),
  twin('a restored centre that takes home an event whose rows it lacks', 'restoredCentre', {
    answered: (one, site, word, stored) =>
      RIGHT.answered(one, site, word?.isClosed ? undefined : word, stored),
  }),
  twin('a command that prints no risk', 'moves', { atRisk: () => 0 }),
  twin('a site that takes the copy of an epoch again', 'moves', {
    taken: (held, epoch, newest) =>
      held && epoch < held.epoch ? undefined : { epoch, isOpen: true, after: newest },
  }),
  twin('a site that decides on though it closed the event', 'moves', {
    decidesAtSite: (held) => held !== undefined,
  }),
  twin('a site that says closed and still decides', 'moves', { saysClosed: () => true }),
  twin('a site that takes late what it was asked to close before', 'moves', {
    closed: (held, epoch, newest) => {
      const right = RIGHT.closed(held, epoch, newest);
      return right && (held === undefined || epoch > held.epoch)
        ? { ...right, epoch: epoch - 1 }
        : right;
    },
    // Such a site says of what it never had that it is closed.
    heard: (one, word, stored) =>
      one.at === 'returning' && word.isClosed && word.epoch === one.epoch - 1
        ? home(one.epoch)
        : RIGHT.heard(one, word, stored),
  }),
  twin('a site that has its events again after a restore', 'restore', {
    restoredName: (name) => name,
    keepsEvents: true,
  }),
];
