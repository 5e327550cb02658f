import { randomInt } from 'node:crypto';
import type { CliIo } from '../../terminal/io.ts';
import { readSecretValue, trustFrom } from '../../terminal/options.ts';
import type { CardFile } from '../cards/card-file.ts';
import type { DeviceOptions } from '../device-settings.ts';
import { SimulateError } from '../errors.ts';
import type { FleetOptions } from '../fleet/fleet-options.ts';
import { type DeviceUrl, splitDeviceUrl } from '../network/device-url.ts';
import { parsedUrl, type TlsTrust } from '../network/endpoint.ts';
import {
  parseChoice,
  parseDuration,
  parseFaults,
  parseNumber,
  parseOffset,
  parseOperations,
  parseRate,
  parseWaitTime,
  parseWeights,
  parseWhole,
} from '../parse.ts';
import { type Expectation, parseExpectation } from '../report/expect.ts';
import type { Card } from '../scan-attempt.ts';
import { cardsFromOptions } from './card-arguments.ts';
import { CHOICES, type SimulateOptions } from './options.ts';

type FleetOfCards = Omit<FleetOptions, 'cards'> & { readonly cards?: readonly Card[] };

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
  readonly reports: readonly string[];
  readonly events: 'all' | 'problems' | 'none';
  /** False when the size of the fleet decided which events are printed. */
  readonly eventsChosen: boolean;
  readonly cardFile: CardFile;
  /** True to print requests and answers. */
  readonly trace: boolean;
}

export const VIRTUAL = 'virtual:';
/** Above this, one line an event would be more work than the devices. */
const EVENTS_DEVICES_MAX = 200;
const EVENTS_RATE_MAX = 500;

/** Checked before the first event repeats it. @throws SimulateError `usage` */
function checkedDeviceUrl(address: string): DeviceUrl {
  const url = splitDeviceUrl(address);
  if (url.baseUrl !== VIRTUAL) parsedUrl(url.baseUrl);
  return url;
}

/** @throws SimulateError or TicketscanError `usage` for options that are invalid */
export async function planRun(
  givenUrl: string | undefined,
  options: SimulateOptions,
  io: CliIo,
): Promise<RunPlan> {
  const givenCards = await cardsFromOptions(options, io);
  const address = givenUrl ?? givenCards.baseUrl;
  if (address === undefined) {
    throw new SimulateError('usage', 'Which server? Add its address: simulate http://… --key …');
  }
  const { baseUrl, key: keyInUrl } = checkedDeviceUrl(address);
  const virtual = baseUrl === VIRTUAL;
  const seed = options.seed ?? String(randomInt(2 ** 31));
  const cardFile = await withFresh(givenCards, baseUrl, options, io);
  const fleet = {
    ...fleetOptions(options, cardFile, seed),
    ...(await modelsFrom(options, virtual)),
  };
  if (
    virtual &&
    fleet.rate === undefined &&
    fleet.durationMs === undefined &&
    !fleet.cards?.length
  ) {
    throw new SimulateError(
      'usage',
      'A run in virtual time needs an end: add cards, or --duration.',
    );
  }
  const desk = options.devices === undefined && options.rate === undefined;
  return {
    baseUrl,
    virtual,
    key: virtual
      ? ''
      : keyFor({ given: options.key ?? keyInUrl, inFile: cardFile.hardwareKey }, io),
    tls: trustFrom(options, io),
    fleet: fleet.rate === undefined ? atHumanSpeed(options, fleet) : fleet,
    seed,
    desk,
    expectations: (options.expect ?? []).map(parseExpectation),
    reports: options.report ?? [],
    events: eventsWanted(options, fleet),
    eventsChosen: options.events !== undefined,
    cardFile,
    trace: options.trace === true,
  };
}

/** The reader of device files is loaded only where there are some. @throws SimulateError `usage` */
async function modelsFrom(
  { model, deviceFile }: SimulateOptions,
  virtual: boolean,
): Promise<Pick<FleetOptions, 'models'>> {
  if (deviceFile === undefined) return model === undefined ? {} : { models: parseWeights(model) };
  if (virtual) {
    throw new SimulateError(
      'usage',
      'The address virtual: supports the known models only. With --device-file, give the address of a real server.',
    );
  }
  const { fileModels } = await import('./file-models.ts');
  return { models: fileModels(deviceFile, model === undefined ? undefined : parseWeights(model)) };
}

/** With `--cards fresh` the cards are made for this run. */
async function withFresh(
  cardFile: CardFile,
  baseUrl: string,
  options: SimulateOptions,
  io: CliIo,
): Promise<CardFile> {
  if (options.cards === undefined) return cardFile;
  parseChoice(options.cards, ['fresh'], 'source of cards');
  if (baseUrl === VIRTUAL)
    throw new SimulateError(
      'usage',
      'At the address virtual: every card is new. Remove --cards fresh.',
    );
  const { freshCards } = await import('./fresh-cards.ts');
  return freshCards(cardFile, baseUrl, options, io);
}

/** The key for a run: from the command line, else the environment, else the target file. */
export function keyFor(
  keys: { readonly given: string | undefined; readonly inFile: string | undefined },
  io: CliIo,
): string {
  const key = keys.given ?? io.env['TICKETSCAN_KEY'] ?? keys.inFile;
  if (key !== undefined) return readSecretValue(key, io);
  throw new SimulateError(
    'usage',
    'Which key? Add the API key of a hardware integration: --key KEY, env:NAME or file:PATH.',
  );
}

function fleetOptions(options: SimulateOptions, { cards }: CardFile, seed: string): FleetOfCards {
  return defined<FleetOfCards>({
    seed,
    cards,
    devices: given(options.devices, (text) => parseWhole(text, 'a number of devices')),
    operations: given(options.operation, parseOperations),
    serial: options.serial,
    device: deviceOptions(options),
    rate: given(options.rate, parseRate),
    arrivals: given(options.arrivals, (text) =>
      parseChoice(text, CHOICES.arrivals, 'pattern of arrivals'),
    ),
    rampMs: given(options.ramp, parseDuration),
    durationMs: given(options.duration, parseDuration),
    people: given(options.people, (text) => parseWhole(text, 'a number of people')),
    thinkMs: given(options.think, parseDuration),
    faults: given(options.faults, parseFaults),
    retries: given(options.retries, (text) => parseWhole(text, 'a number of retries')),
    retryAfterMs: given(options.retryAfter, parseDuration),
  });
}

/** Without a rate: cards come one after the other to each gate, and the doors are watched until they close. */
function atHumanSpeed(options: SimulateOptions, fleet: FleetOfCards): FleetOfCards {
  const cards = fleet.cards ?? [];
  return {
    ...fleet,
    ...(cards.length > 0 ? { rate: 'max' as const } : {}),
    thinkMs: fleet.thinkMs ?? 1000,
    people: fleet.people ?? cards.length,
    untilDoorsClose: true,
    staysOpen: options.duration !== undefined || cards.length === 0,
    device: { readMs: 100, passMs: 1000, antiRepeatMs: 1000, ...fleet.device },
  };
}

/** The settings of a device that the command line gives. @throws SimulateError `usage` */
export function deviceOptions(options: SimulateOptions): DeviceOptions {
  return defined<DeviceOptions>({
    direction: given(options.direction, (text) =>
      parseChoice(text, CHOICES.direction, 'direction'),
    ),
    reader: given(options.reader, (text) => parseWhole(text, 'a reader index')),
    waitTime: given(options.waitTime, parseWaitTime),
    heartbeatMs: given(options.heartbeat, parseDuration),
    failMode: given(options.failMode, (text) => parseChoice(text, CHOICES.failMode, 'fail mode')),
    antiRepeatMs: given(options.antiRepeat, parseDuration),
    passMs: given(options.passTime, parseDuration),
    turnBack: given(options.turnBack, (text) => parseNumber(text, 'a probability')),
    clockOffsetMs: given(options.clockOffset, parseOffset),
  });
}

function eventsWanted(options: SimulateOptions, fleet: FleetOfCards): RunPlan['events'] {
  if (options.events !== undefined) {
    return parseChoice(options.events, CHOICES.events, 'choice of events');
  }
  const { devices = 1, rate = 0 } = fleet;
  const large = devices > EVENTS_DEVICES_MAX || rate === 'max' || rate > EVENTS_RATE_MAX;
  return large ? 'none' : 'all';
}

function given<T>(text: string | undefined, parse: (text: string) => T): T | undefined {
  return text === undefined ? undefined : parse(text);
}

type Loose<T> = { readonly [Name in keyof T]: T[Name] | undefined };

function defined<T extends object>(values: Loose<T>): T {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}
