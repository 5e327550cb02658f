import { randomBytes } from 'node:crypto';
import { BASE62, randomText } from '../../kit/random.ts';
import { CONNECTION_REFUSALS, type ConnectionRefusal } from '../../kit/refused-connections.ts';
import { timesOf } from '../../kit/text.ts';
import { type Known, refuseUnknownOptions } from '../deployment/known-options.ts';
import { CheckUsageError } from '../deployment/target.ts';
import { selectCases } from '../planning/select.ts';
import { NEWEST_SET } from '../requirement-sets/index.ts';
import { knownDeviations } from '../results/baseline.ts';
import { conclusionOf } from '../results/conclusion.ts';
import type { CheckResult, LeftOut } from '../results/result.ts';
import { casesOn } from './cases/cases.ts';
import type { DeviceCase } from './cases/device-case.ts';
import { SessionResults } from './cases/session-results.ts';
import type { Format } from './formats/format.ts';
import { KnownFormat, MODELS } from './formats/models.ts';
import { pathOf } from './http.ts';
import type { Certificate } from './judge-server.ts';
import { judgeSession } from './judge-session.ts';
import type { Observer } from './observer.ts';
import { addressOf, runSession, type SessionParts } from './run-session.ts';
import { leavesOf } from './scenes/scene.ts';
import { FAST_SCENES, SCENES } from './scenes/scenes.ts';
import { Session } from './session.ts';
import {
  DEFAULT_SETTINGS,
  type DeviceSettings,
  newRecord,
  type SessionRecord,
  type SubjectKind,
} from './session-record.ts';
import { type Subject, SubjectObserver } from './subject-observer.ts';
import { type DeviceWorld, REAL_DEVICE_WORLD } from './world.ts';

/** Certificates for a session over HTTPS. */
export interface DeviceTls {
  /** What the server shows. */
  readonly certificate: Certificate;
  /** PEM of what the subject is told to trust. */
  readonly ca: string;
  /** For the same name, but signed by an authority that the subject does not trust. */
  readonly untrusted: Certificate;
}

/** What is judged, and how. Every setting has the usual value of a controller. */
export interface DeviceCheckOptions extends Partial<DeviceSettings> {
  /** `device`: hardware at the endpoints for hardware. `client`: own software at the REST endpoints. */
  readonly kind: SubjectKind;
  /** What is judged, where no person takes part. */
  readonly subject?: Subject | undefined;
  /** In place of `subject`: a person who presents the cards and reports what happens. */
  readonly observer?: Observer | undefined;
  /** Of the device; without it, the first card shows the model. One of several device files has its name here, too. */
  readonly model?: string | undefined;
  /** A device file or a folder of them, or the name of a file that comes with the program: the device is judged by it. */
  readonly deviceFile?: string | undefined;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: any free one. */
  readonly port?: number | undefined;
  /** The name by which the subject reaches this machine, for the addresses of its setup. Default: `host`. */
  readonly publicHost?: string | undefined;
  /** Default: a random text of 40 characters. */
  readonly key?: string | undefined;
  readonly tls?: DeviceTls | undefined;
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** Only some scenes: what shows the dangerous faults, in forty seconds with a Wait Time of a second. */
  readonly fast?: boolean | undefined;
  /** Known deviations: a list of case ids, an object of id and reason, or an earlier result. */
  readonly baseline?: unknown;
  /** The record of a session that was interrupted. */
  readonly resume?: SessionRecord | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before the first scene, and after each. */
  readonly onRecord?: ((record: SessionRecord) => void) | undefined;
  /** Called before each scene. */
  readonly onScene?: ((scene: string, number: number, count: number) => void) | undefined;
}

const DEVICE_CHECK_OPTIONS: Known<DeviceCheckOptions> = {
  waitTimeMs: true,
  heartbeatMs: true,
  failMode: true,
  reactionMs: true,
  antiRepeatMs: true,
  openSeconds: true,
  bootMs: true,
  kind: true,
  subject: true,
  observer: true,
  model: true,
  deviceFile: true,
  host: true,
  port: true,
  publicHost: true,
  key: true,
  tls: true,
  only: true,
  skip: true,
  fast: true,
  baseline: true,
  resume: true,
  signal: true,
  onRecord: true,
  onScene: true,
};

const KEY_CHARACTERS = 38;
const FAST = 'left out by --fast';
const LOOPBACK = '127.0.0.1';

/**
 * Judges a device or client software: a server of this program answers it well and badly, and watches what it sends and does.
 * @throws CheckUsageError for options that do not fit
 */
export function checkDevice(options: DeviceCheckOptions): Promise<CheckResult> {
  return checkDeviceIn(REAL_DEVICE_WORLD, options);
}

/** The same by another clock, and over another network. @throws CheckUsageError for options that do not fit */
export async function checkDeviceIn(
  { clock, network }: DeviceWorld,
  options: DeviceCheckOptions,
): Promise<CheckResult> {
  const { kind, onRecord, onScene, tls, host = LOOPBACK, publicHost = host } = options;
  refuseUnknownOptions('checkDevice', options, DEVICE_CHECK_OPTIONS);
  const file = await fileOf(options);
  checkOptions(options, file);
  const { cases, leftOut } = chosenCases(options);
  const known = knownDeviations(options.baseline, casesOn(kind));
  const settings = settingsOf(options, file);
  const record = options.resume ?? newRecord(kind, options.key ?? randomKey(kind));
  const format = new KnownFormat(kind, options.model ?? record.model, file);
  const [startedAt, startedMs] = [new Date(clock.wallNow()), clock.now()];
  const signal = options.signal ?? new AbortController().signal;
  const certificate = tls?.certificate;
  const session = new Session({
    clock,
    record,
    settings,
    format,
    observer: options.observer ?? new SubjectObserver(options.subject as Subject, clock),
    signal,
    certificate,
    otherCertificate: tls?.untrusted,
  });
  const brokenOff = await runSession({
    session,
    ...playFor(cases, options, record),
    listen: { host, port: options.port ?? 0, certificate },
    network,
    publicHost,
    ca: tls?.ca,
    signal,
    onProgress: () => onRecord?.(record),
    onScene,
  });
  onRecord?.(record);
  const seen = new SessionResults(record, settings, format.current);
  const judged = await judgeSession(cases, seen);
  return {
    ...conclusionOf(judged, known),
    subject: kind,
    target: addressOf(publicHost, record.port, certificate !== undefined),
    requirements: NEWEST_SET,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(clock.now() - startedMs),
    requests: record.requests.length,
    budget: { uses: 0, byKind: [] },
    usesGranted: 0,
    notes: notesOf(seen, format, cases),
    leftOut,
    ...(brokenOff === undefined ? {} : { brokenOff }),
  };
}

/** The reader of device files is loaded only when one is given. @throws CheckUsageError */
async function fileOf({ kind, deviceFile, model }: DeviceCheckOptions) {
  if (deviceFile === undefined) return undefined;
  if (kind === 'client')
    throw new CheckUsageError('A device file describes a device; client software has none.');
  const { formatOfFile } = await import('./formats/file-format.ts');
  return formatOfFile(deviceFile, model);
}

/** @throws CheckUsageError */
function checkOptions(options: DeviceCheckOptions, file: Format | undefined): void {
  const { kind, model, subject, observer, resume } = options;
  if (kind === 'client' && model !== undefined)
    throw new CheckUsageError('A model describes a device; client software has none.');
  if (model !== undefined && file === undefined && !MODELS.includes(model))
    throw new CheckUsageError(
      `Unknown model "${model}". Known models: ${MODELS.join(', ')}. Another one needs a device file (--device-file).`,
    );
  if (subject === undefined && observer === undefined)
    throw new CheckUsageError('What is judged? Give `subject`, or `observer`.');
  if (resume !== undefined) checkResumed(resume, options, file);
}

/** @throws CheckUsageError when the options are about something else than the session was */
function checkResumed(
  { kind: kindBefore, model: before }: SessionRecord,
  { kind, model }: DeviceCheckOptions,
  file: Format | undefined,
): void {
  if (kindBefore !== kind)
    throw new CheckUsageError(`The session to resume is about a ${kindBefore}, not a ${kind}.`);
  if (before === undefined || kind === 'client') return;
  if (!file && !MODELS.includes(before))
    throw new CheckUsageError(
      `The session to resume is about the device file "${before}": give that file again (--device-file).`,
    );
  const now = file?.id ?? model;
  if (now !== undefined && now !== before)
    throw new CheckUsageError(`The session to resume is about ${before}, not ${now}.`);
}

function settingsOf(options: DeviceCheckOptions, file: Format | undefined): DeviceSettings {
  const names = Object.keys(DEFAULT_SETTINGS) as (keyof DeviceSettings)[];
  const given = names.filter((name) => options[name] !== undefined);
  const settings = {
    ...DEFAULT_SETTINGS,
    ...file?.file?.setup,
    ...Object.fromEntries(given.map((name) => [name, options[name]])),
  };
  // Own software never opens without a result.
  return options.kind === 'client' ? { ...settings, failMode: 'secure' } : settings;
}

/** In the form of a real key, because the length of a URL matters to some devices. */
function randomKey(kind: SubjectKind): string {
  const prefix = kind === 'client' ? 'tscn_api_' : 'tscn_hw_';
  return `${prefix}${randomText(BASE62, KEY_CHARACTERS, randomBytes)}`;
}

/** The cases that are judged, and those that `fast` leaves out. */
function chosenCases(options: DeviceCheckOptions): { cases: DeviceCase[]; leftOut: LeftOut[] } {
  const selected = selectCases(casesOn(options.kind), options);
  const isKept = ({ scenes }: DeviceCase): boolean =>
    !options.fast || scenes.some((scene) => FAST_SCENES.includes(scene));
  const out = selected.filter((one) => !isKept(one));
  return {
    cases: selected.filter(isKept),
    leftOut: out.map(({ id, endpoint }) => ({ id, endpoints: [endpoint], reason: FAST })),
  };
}

/** The scenes that the cases need; the one that shows the model comes first. */
function playFor(
  cases: readonly DeviceCase[],
  { kind, fast }: DeviceCheckOptions,
  record: SessionRecord,
): Pick<SessionParts, 'scenes' | 'asksBetween'> {
  const names = new Set(['granted', ...cases.flatMap(({ scenes }) => scenes)]);
  // From the last to the first: what a scene builds on may build on another.
  for (const scene of SCENES.toReversed())
    if (leavesOf(scene).some((one) => names.has(one)))
      for (const one of scene.after ?? []) names.add(one);
  const wanted = SCENES.filter(
    (scene) => (scene.kind ?? kind) === kind && leavesOf(scene).some((one) => names.has(one)),
  );
  const scenes = wanted.filter(({ id }) => !fast || FAST_SCENES.includes(id));
  for (const scene of wanted.filter((one) => !scenes.includes(one)))
    for (const name of leavesOf(scene)) record.omitted[name] = FAST;
  return { scenes, asksBetween: cases.some((one) => one.asksBetween) };
}

/** What arrived and was refused below HTTP or by its form: else it would seem that nothing arrived. */
function refusalsOf({ refused = {} }: SessionRecord): string[] {
  return (Object.keys(refused) as ConnectionRefusal[]).map((reason) => {
    const { what, advice } = CONNECTION_REFUSALS[reason];
    return `Refused ${timesOf(refused[reason] ?? 0)}: ${what}. ${advice}`;
  });
}

function notesOf(
  { cards, record }: SessionResults,
  { current }: KnownFormat,
  cases: readonly DeviceCase[],
): string[] {
  const notes = refusalsOf(record);
  if (cards.length === 0) {
    if (!cases.some(({ statesArrival }) => statesArrival))
      notes.push('Nothing arrived with a card. Does the device have the address of this session?');
    return notes;
  }
  if (current.file) notes.push(current.file.about);
  else if (record.kind === 'device')
    notes.push(`It speaks as ${current.id} does. If it is another model, name it (--model).`);
  if (cards.every((one) => pathOf(one).endsWith('/validate')))
    notes.push(
      'It only ever validates. That takes no use: one ticket admits any number of people.',
    );
  for (const { when } of record.betweenScenes.filter(({ opened }) => opened === undefined))
    notes.push(`Not judged: whether the door opened by itself ${when} (no answer given).`);
  return notes;
}
