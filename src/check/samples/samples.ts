import type { Needs } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import type { KeyName } from '../deployment/target.ts';
import {
  CONSUMES,
  type ConsumeEndpoint,
  type Endpoint,
  type Exchange,
  isConsume,
  isDevice,
  isRest,
  REST,
  SCANS,
  type ScanEndpoint,
  validateFor,
} from '../facts/exchange.ts';
import type { Outcome } from '../facts/reading.ts';
import { withOtherLastSignatureLetter } from '../facts/tamper.ts';
import { allowedAnswers, type Question } from '../law/allowed.ts';
import { keylessRequest } from '../requests/scan-request.ts';
import { followed, USED_KINDS } from './uses.ts';

/** An answer that several cases judge, so that it is asked for once. */
export interface Sample extends Needs {
  readonly name: string;
  /** Another sample, with whose ticket it goes on. */
  readonly after?: string;
  run(scan: Scan): Promise<Exchange>;
}

/** Tickets that every endpoint lets in. */
export const GOOD = ['single', 'multi', 'permanent', 'personalised', 'windowed'] as const;
/** Further good tickets, which a target may leave out. */
export const GOOD_TOO = ['openEnd', 'openStart', 'hundred'] as const;
/** Tickets that every endpoint refuses. */
export const REFUSED = ['exhausted', 'cancelled', 'notYetValid', 'expired', 'unknown'] as const;
/** Those of them that are refused whatever uses they have left. */
export const REFUSED_AS_SUCH = ['cancelled', 'notYetValid', 'expired'] as const;

export type GoodKind = (typeof GOOD)[number] | (typeof GOOD_TOO)[number];
export type RefusedKind = (typeof REFUSED)[number];
/** What is shown to an endpoint. */
export type Situation = GoodKind | RefusedKind | 'forged' | 'outOfScope';

/** The name of a shared answer: `exhausted@hw/consume`. */
export function sampleOf(situation: Situation | 'noCode' | 'noKey', endpoint: Endpoint): string {
  return `${situation}@${endpoint}`;
}

/**
 * The outcome that the specification names for a situation: of those that it allows, the first.
 * @param endpoint one at which the situation is asked for
 */
export function outcomeOf(
  situation: Situation | 'noCode' | 'noKey',
  endpoint: ScanEndpoint,
): Outcome {
  const { outcomes } = allowedAnswers({ endpoint, ...askedIn(situation) });
  const [named] = outcomes ?? [];
  if (!named) throw new Error(`the specification leaves open what "${situation}" gets`);
  return named;
}

function askedIn(situation: Situation | 'noCode' | 'noKey'): Pick<Question, 'key' | 'shown'> {
  switch (situation) {
    case 'noKey':
      return { key: 'refused', shown: { is: 'nothing' } };
    case 'noCode':
      return { key: 'good', shown: { is: 'nothing' } };
    case 'forged':
      return { key: 'good', shown: { is: 'forged' } };
    case 'outOfScope':
      return { key: 'scoped', shown: { is: 'ticket', kind: 'otherEvent' } };
    default:
      return { key: 'good', shown: { is: 'ticket', kind: situation, uses: 'left' } };
  }
}

/** The name of a kind or key as ids write it: `not-yet-valid`. */
export function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The key for all events that an endpoint takes. */
export function keyFor(endpoint: Endpoint): KeyName {
  return isRest(endpoint) ? 'rest' : 'hardware';
}

/** The key for selected events that an endpoint takes. */
export function scopedKeyFor(endpoint: Endpoint): KeyName {
  return isDevice(endpoint) ? 'hardwareScoped' : 'restScoped';
}

/** Most requests of a run have the key for all events: those that any key may send go with the other one. */
export function quieterKey(scan: Scan, endpoint: Endpoint): KeyName {
  const scoped = endpoint === 'heartbeat' ? 'hardwareScoped' : scopedKeyFor(endpoint);
  return scan.hasKey(scoped) ? scoped : keyFor(endpoint);
}

/** The keys that an endpoint takes by turns, so that a long family waits for the limit of none of them. */
export function keyByTurns(scan: Scan, endpoint: Endpoint, turn: number): KeyName {
  return turn % 2 === 0 ? quieterKey(scan, endpoint) : keyFor(endpoint);
}

function shown(situation: GoodKind | RefusedKind, endpoint: ScanEndpoint, spends: boolean): Sample {
  const fromPurse = situation === 'permanent' && isConsume(endpoint);
  const isRefusedAsSuch = REFUSED_AS_SUCH.some((kind) => kind === situation);
  return {
    name: `${situation}@${endpoint}`,
    keys: [keyFor(endpoint)],
    ...(fromPurse ? { sharedCard: true } : { tickets: { [situation]: 1 } }),
    ...(isConsume(endpoint) ? { uses: spends ? { [situation]: 1 } : {} } : {}),
    async run(scan) {
      if (fromPurse) return scan.ask(endpoint, scan.sharedCard());
      const { code } = scan.ticket(situation);
      await showGuest(scan, situation, endpoint, code);
      if (spends && isConsume(endpoint)) await lookBeforeUse(scan, endpoint, code);
      // A door tells no uses of a ticket that it refuses: software may tell them.
      else if (endpoint === 'hw/consume' && isRefusedAsSuch && scan.hasKey('rest'))
        scan.remember(await scan.validate(code));
      return scan.ask(endpoint, code);
    },
  };
}

/** A guest whose ticket software uses up would be on no display: it shows the name before. */
export async function showGuest(
  scan: Scan,
  kind: string,
  endpoint: ScanEndpoint,
  code: string,
): Promise<void> {
  const isUnseen = kind === 'personalised' && endpoint === 'consume';
  if (isUnseen && scan.hasKey('hardware')) await scan.ask('hw/validate', code);
}

/** The answer to consume must agree with what validate answered before. */
async function lookBeforeUse(scan: Scan, endpoint: ConsumeEndpoint, code: string): Promise<void> {
  scan.remember(await scan.ask(validateFor(endpoint), code));
  // What software is told after a device is compared with the rest.
  if (isDevice(endpoint) && scan.hasKey('rest')) await scan.validate(code);
}

function forged(endpoint: ScanEndpoint): Sample {
  return {
    name: sampleOf('forged', endpoint),
    keys: [keyFor(endpoint)],
    ...decoyFor(endpoint, 1),
    run: (scan) => scan.askForged(endpoint, withOtherLastSignatureLetter(scan.decoy())),
  };
}

/** Tickets to make forged codes of, or to show with a refused key. */
export function decoyFor(endpoint: Endpoint, count: number): Needs {
  return isConsume(endpoint) ? { decoys: count } : { tickets: { single: count } };
}

/** What an endpoint needs to grant a scan, where the uses are not counted. */
export function grantFor(endpoint: ScanEndpoint): Needs {
  const keys = [keyFor(endpoint)];
  return isConsume(endpoint)
    ? { keys, sharedCard: true, uses: { permanent: 1 } }
    : { keys, tickets: { single: 1 } };
}

/** The code of that ticket. */
export function grantedCode(scan: Scan, endpoint: ScanEndpoint): string {
  return isConsume(endpoint) ? scan.sharedCard() : scan.ticket('single').code;
}

function outOfScope(endpoint: ScanEndpoint): Sample {
  return {
    name: sampleOf('outOfScope', endpoint),
    keys: [scopedKeyFor(endpoint)],
    tickets: { otherEvent: 1 },
    ...(isConsume(endpoint) ? { uses: {} } : {}),
    run: (scan) => scan.ask(endpoint, scan.ticket('otherEvent').code, scopedKeyFor(endpoint)),
  };
}

/** A code that no server knows, for requests that must be refused before anything looks at it. */
export const NO_TICKET = 'A.tkt_none.B';

function withoutKey(endpoint: Endpoint): Sample {
  return {
    name: sampleOf('noKey', endpoint),
    run: (scan) => scan.send(keylessRequest(endpoint, NO_TICKET)),
  };
}

/** Every sample. */
export const SAMPLES: readonly Sample[] = [
  ...SCANS.flatMap((endpoint) => [
    ...[...GOOD, ...GOOD_TOO].map((kind) => shown(kind, endpoint, true)),
    ...REFUSED.map((kind) => shown(kind, endpoint, false)),
    forged(endpoint),
    outOfScope(endpoint),
  ]),
  ...REST.map((endpoint) => ({
    name: sampleOf('noCode', endpoint),
    keys: ['rest'] as const,
    run: (scan: Scan) => scan.send({ ...scan.request(endpoint, ''), body: '{}' }),
  })),
  ...[...SCANS, 'heartbeat' as const].map(withoutKey),
  ...CONSUMES.flatMap((endpoint) => USED_KINDS.map((kind) => followed(kind, endpoint))),
];

const BY_NAME = new Map(SAMPLES.map((sample) => [sample.name, sample]));

/** @throws Error when no sample has that name: a case asks for what does not exist */
export function sampleNamed(name: string): Sample {
  const sample = BY_NAME.get(name);
  if (!sample) throw new Error(`no sample is called "${name}"`);
  return sample;
}
