import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { givenVariable } from '../../config/given-value.ts';
import { defined } from '../../kit/defined.ts';
import { readGivenCode } from '../../terminal/given-codes.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readKeyValue } from '../../terminal/key-value.ts';
import { isElsewhere, refuseForeignSecret, trustFrom } from '../../terminal/options.ts';
import { type CardFile, cardOf, readCardFile, refuseNoCode } from '../cards/card-file.ts';
import { isImageName, readImage } from '../cards/read-image.ts';
import type { Card } from '../device-events.ts';
import type { DeviceOptions } from '../device-settings.ts';
import { SimulateError } from '../errors.ts';
import type { FleetOptions } from '../fleet/fleet.ts';
import { type Expectation, parseExpectation } from '../fleet/report.ts';
import { parsedUrl, splitDeviceUrl, type TlsTrust } from '../network/endpoint.ts';
import { freshCards, inventedCards } from './fresh-cards.ts';
import type { SimulateOptions } from './options.ts';

type FleetOfCards = Omit<FleetOptions, 'cards'> & { readonly cards: readonly Card[] };

/** Everything about a run with devices, checked. */
export interface RunPlan {
  readonly baseUrl: string;
  /** True for the stand-in service in memory, on a virtual clock. */
  readonly virtual: boolean;
  readonly key: string;
  readonly tls: TlsTrust;
  readonly fleet: FleetOfCards;
  readonly seed: string;
  /** True for one device that somebody watches, as opposed to a load. */
  readonly desk: boolean;
  readonly expectations: readonly Expectation[];
  readonly events: 'all' | 'problems' | 'none';
  readonly cardFile: CardFile;
  /** True to print requests and answers. */
  readonly trace: boolean;
}

export const VIRTUAL = 'virtual:';

/** @throws SimulateError or TicketscanError for options that are invalid */
export async function planRun(
  givenUrl: string | undefined,
  options: SimulateOptions,
  io: CliIo,
): Promise<RunPlan> {
  const givenCards = await cardsFromOptions(options, io);
  refuseForeignAddress(givenCards, givenUrl, options, io);
  const address = givenUrl ?? givenCards.baseUrl;
  if (address === undefined) {
    throw new SimulateError('Which server? Add its address: simulate http://… --key …');
  }
  const { baseUrl, key: keyInUrl } = splitDeviceUrl(address);
  const virtual = baseUrl === VIRTUAL;
  // Checked before the first event repeats it.
  if (!virtual) parsedUrl(baseUrl);
  const seed = options.seed ?? String(randomInt(2 ** 31));
  const cardFile = await cardsOfRun(givenCards, baseUrl, options, io);
  const fleet = { ...fleetOf(options, cardFile, seed), ...(await modelsFrom(options, virtual)) };
  if (virtual) checkEnd(fleet);
  const given = options.key ?? keyInUrl;
  return {
    baseUrl,
    virtual,
    key: virtual ? '' : keyFor({ given, inFile: cardFile.hardwareKey }, io),
    tls: trustFrom(options, io),
    fleet,
    seed,
    desk: options.devices === undefined && options.rate === undefined,
    expectations: (options.expect ?? []).map(parseExpectation),
    events: options.events ?? (isFleet(options) ? 'none' : 'all'),
    cardFile,
    trace: options.trace === true,
  };
}

/** Nobody ends a run in virtual time. @throws SimulateError */
function checkEnd({ rate, durationMs, cards }: FleetOfCards): void {
  if (rate !== undefined || durationMs !== undefined || cards.length > 0) return;
  throw new SimulateError('A run in virtual time needs an end: add cards, or --duration.');
}

/** True for a fleet: people read its summary, and its events are printed when they are asked for. */
function isFleet({ devices = 1, rate }: SimulateOptions): boolean {
  return devices > 1 || rate === 'max';
}

/** All cards of `--card` and `--cards-from`, in that order, and what else the file says. */
async function cardsFromOptions(
  { card = [], cardsFrom, states }: SimulateOptions,
  io: CliIo,
): Promise<CardFile> {
  const given: Card[] = [];
  for (const text of card) {
    const isImage = isImageName(text) || (existsSync(text) && !text.includes('.tkt_'));
    if (isImage) given.push(await readImage(text));
    else given.push(cardFrom(readGivenCode(text, io)));
  }
  if (cardsFrom === undefined) return { cards: given, states: new Map() };
  const file = await readCardFile(
    cardsFrom,
    states?.split(',').map((state) => state.trim()),
  );
  return { ...file, cards: [...given, ...file.cards] };
}

function cardFrom(code: string): Card {
  refuseNoCode(code, '--card');
  return cardOf(code);
}

/**
 * Refuses that a file of somebody else names the server that gets a key or token of this user.
 * @throws TicketscanError `usage`
 */
export function refuseForeignAddress(
  file: CardFile | undefined,
  named: string | undefined,
  options: SimulateOptions,
  io: CliIo,
): void {
  const { foreign, baseUrl, hardwareKey = '' } = file ?? {};
  if (baseUrl === undefined) return;
  const path = options.cardsFrom ?? '';
  const destination = { named, trustTarget: options.trustTarget };
  const sent = {
    'The key of --key': options.key !== undefined,
    TICKETSCAN_KEY: givenVariable(io.env, 'TICKETSCAN_KEY') !== undefined,
    'The token of --token': options.token !== undefined,
    'A card of --card': options.card !== undefined,
    [hardwareKey]: isElsewhere(hardwareKey),
  };
  for (const [what, isSent] of Object.entries(sent))
    if (isSent) refuseForeignSecret({ path, foreign }, what, destination);
}

/** The cards of this run; `--cards fresh` makes them, and so does `virtual:` where none are given. */
async function cardsOfRun(
  cardFile: CardFile,
  baseUrl: string,
  options: SimulateOptions,
  io: CliIo,
): Promise<CardFile> {
  if (baseUrl !== VIRTUAL) {
    return options.cards === undefined ? cardFile : freshCards(cardFile, baseUrl, options, io);
  }
  if (options.cards !== undefined) {
    throw new SimulateError('At the address virtual: every card is new. Remove --cards fresh.');
  }
  const needsCards = options.rate !== undefined && cardFile.cards.length === 0;
  return needsCards ? { ...cardFile, cards: inventedCards(options) } : cardFile;
}

/** The reader of device files is loaded only where there are some. @throws SimulateError */
async function modelsFrom(
  { model, deviceFile }: SimulateOptions,
  virtual: boolean,
): Promise<Pick<FleetOptions, 'models'>> {
  if (deviceFile === undefined) return model === undefined ? {} : { models: model };
  if (virtual) {
    throw new SimulateError(
      'The address virtual: supports the known models only. With --device-file, give the address of a real server.',
    );
  }
  const { fileModels } = await import('./file-models.ts');
  return { models: fileModels(deviceFile, model) };
}

/** The key for a run: from the command line, else the environment, else the target file. */
export function keyFor(
  keys: { readonly given: string | undefined; readonly inFile: string | undefined },
  io: CliIo,
): string {
  if (keys.given !== undefined) return readKeyValue(keys.given, io, '--key');
  const variable = givenVariable(io.env, 'TICKETSCAN_KEY');
  if (variable !== undefined)
    return readKeyValue(variable, io, 'The environment variable TICKETSCAN_KEY');
  if (keys.inFile !== undefined) return readKeyValue(keys.inFile, io, 'The key of the target file');
  throw new SimulateError(
    'Which key? Add the API key of a hardware integration: --key KEY, env:NAME or file:PATH.',
  );
}

function fleetOf(options: SimulateOptions, { cards }: CardFile, seed: string): FleetOfCards {
  const { devices, operation, serial, rate, arrivals, people, faults, retries } = options;
  const given = { devices, operations: operation, serial, arrivals, people, faults, retries };
  const fleet = {
    ...defined({
      ...given,
      rampMs: options.ramp,
      durationMs: options.duration,
      thinkMs: options.think,
      retryAfterMs: options.retryAfter,
    }),
    seed,
    cards,
  };
  const device = deviceOptions(options);
  if (rate !== undefined) return { ...fleet, rate, device };
  // Cards come one after the other to each gate, and the doors are watched until they close.
  return {
    thinkMs: 1000,
    people: cards.length,
    ...fleet,
    ...(cards.length > 0 ? { rate: 'max' } : {}),
    untilDoorsClose: true,
    staysOpen: options.duration !== undefined || cards.length === 0,
    device: { readMs: 100, passMs: 1000, antiRepeatMs: 1000, ...device },
  };
}

/** The settings of a device that the command line gives. */
export function deviceOptions(options: SimulateOptions): DeviceOptions {
  const { direction, reader, waitTime, failMode, turnBack } = options;
  return defined({
    direction,
    reader,
    waitTime,
    failMode,
    turnBack,
    heartbeatMs: options.heartbeat,
    antiRepeatMs: options.antiRepeat,
    passMs: options.passTime,
    clockOffsetMs: options.clockOffset,
  });
}
