import type { Incoming } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import {
  type Body,
  DEVICE,
  device,
  type FaultyServer,
  faults,
  parsed,
  REST,
  remembering,
  SCANS,
  showing,
  step,
  together,
} from './faulty-server.ts';

const sentIn = ({ body }: Incoming): Body => parsed(body) ?? {};

/** Throws at what a device says of itself. */
const throwingAt = (isBad: (sent: Body) => boolean): Alteration =>
  step('readCard', ({ next }, incoming) => {
    if (isBad(sentIn(incoming))) throw new RangeError('value out of range');
    return next();
  });

const serialOf = ({ Serial }: Body) => (typeof Serial === 'string' ? Serial : '');

const SENDERS = faults('2.4', {
  'knows readers of one digit': showing(
    DEVICE,
    throwingAt(({ Reader }) => Number(Reader) > 9),
  ),
  'keeps the reader in a byte': showing(
    DEVICE,
    throwingAt(({ Reader }) => Number(Reader) > 255),
  ),
  'keeps the reader in four bytes': showing(
    DEVICE,
    throwingAt(({ Reader }) => Number(Reader) >= 2 ** 31),
  ),
  'throws at a negative reader': showing(
    DEVICE,
    throwingAt(({ Reader }) => Number(Reader) < 0),
  ),
  'throws at a reader that is null': showing(
    DEVICE,
    throwingAt(({ Reader }) => Reader === null),
  ),
  'keeps serials in 32 characters': showing(
    DEVICE,
    throwingAt((sent) => serialOf(sent).length > 32),
  ),
  'keeps serials of any length up to 255': showing(
    DEVICE,
    throwingAt((sent) => serialOf(sent).length > 255),
  ),
  'keeps serials in letters of three bytes': showing(
    DEVICE,
    throwingAt((sent) => /[\u{10000}-\u{10ffff}]/u.test(serialOf(sent))),
  ),
  'puts serials into SQL': showing(
    DEVICE,
    throwingAt((sent) => serialOf(sent).includes("'")),
  ),
  'cannot keep U+0000 in a serial': showing(
    DEVICE,
    throwingAt((sent) => serialOf(sent).includes('\0')),
  ),
  'wants a serial that is no number': showing(
    DEVICE,
    step('readCard', ({ next }, incoming) =>
      /^\d+$/.test(serialOf(sentIn(incoming))) ? undefined : next(),
    ),
  ),
  'opens without counting for a reader of two digits': showing(
    ['hw/consume'],
    remembering(() => {
      let isFree = false;
      return together(
        step('readCard', ({ next }, incoming) => {
          isFree = Number(sentIn(incoming)['Reader']) >= 10;
          return next();
        }),
        step('register', ({ next }, _, side) =>
          side === 'hardware' && isFree ? undefined : next(),
        ),
      );
    }),
  ),
  'lets a device name its relay and its time': showing(
    DEVICE,
    remembering(() => {
      let sent: Body = {};
      return together(
        step('readCard', ({ next }, incoming) => {
          sent = sentIn(incoming);
          return next();
        }),
        device('granted', (body) => ({
          ...body,
          ActIndex: sent['ActIndex'] ?? body['ActIndex'],
          Time: sent['Time'] ?? body['Time'],
        })),
      );
    }),
  ),
});

/** Decides by what a request says of its ticket. */
const believing = (isClaimed: (sent: Body) => boolean, refusal: string = 'exhausted'): Alteration =>
  remembering(() => {
    let sent: Body = {};
    return together(
      step('keyOf', ({ next }, incoming) => {
        sent = sentIn(incoming);
        return next();
      }),
      step('refuse', ({ next }) => {
        const refused = next();
        const isOf = [refused?.status, refused?.reason].includes(refusal);
        return isOf && isClaimed(sent) ? undefined : refused;
      }),
    );
  });

const CLAIMS = faults('4', {
  'lets a request overwrite the uses of its ticket': showing(
    SCANS,
    believing(({ usesConsumed }) => usesConsumed === 0),
  ),
  'lets in whoever says force': showing(
    SCANS,
    believing(({ force }) => force === true),
  ),
  'takes the time of a request for now': showing(
    SCANS,
    believing(({ now }) => typeof now === 'string', 'expired'),
  ),
  'counts the window from the moment that a request names': showing(
    SCANS,
    believing(({ scannedAt }) => typeof scannedAt === 'string', 'expired'),
  ),
  'takes the result that a request brings': showing(
    SCANS,
    believing(({ valid }) => valid === true),
  ),
});

const throwingOnRest = (isBad: (sent: Body) => boolean): Alteration =>
  step('readCode', ({ next }, incoming) => {
    if (isBad(sentIn(incoming))) throw new TypeError('cannot convert');
    return next();
  });

const ODD = faults('7.1', {
  'throws at a member that is null': showing(
    REST,
    throwingOnRest((sent) => Object.values(sent).includes(null)),
  ),
  'throws at a list in a body': showing(
    REST,
    throwingOnRest((sent) => Object.values(sent).some(Array.isArray)),
  ),
  'logs bodies of at most 2,000 characters': showing(
    REST,
    throwingOnRest((sent) => JSON.stringify(sent).length > 2000),
  ),
  'uses the names of members as columns': showing(
    REST,
    throwingOnRest((sent) => Object.hasOwn(sent, '') || Object.hasOwn(sent, 'toString')),
  ),
});

/** Servers that fail at what a request says besides its code, or believe it. */
export const MEMBER_FAULTS: readonly FaultyServer[] = [...SENDERS, ...CLAIMS, ...ODD];
