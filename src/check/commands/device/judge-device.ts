import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isAllAddresses, ownAddresses } from '../../../config/addresses.ts';
import { makeApiKey } from '../../../core/api-key.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { defined } from '../../../kit/defined.ts';
import { fileFailure } from '../../../kit/failures.ts';
import { makeFolder, writeForAll } from '../../../kit/files.ts';
import { openToWrite } from '../../../kit/pipes.ts';
import type { TlsKeyType } from '../../../kit/served-tls.ts';
import { makeSelfSigned } from '../../../serve/certificate.ts';
import { type CliIo, Interrupted, note } from '../../../terminal/io.ts';
import { canAsk } from '../../../terminal/prompts.ts';
import type { PrintedTicket } from '../../../tickets/sheets/printed-ticket.ts';
import { casesOn } from '../../device/cases/cases.ts';
import { DEFAULT_SETTINGS, sessionCodes } from '../../device/session-record.ts';
import {
  type CheckResult,
  checkDevice,
  type DeviceCheckOptions,
  type DeviceTls,
  exitCodeOf,
  type SessionRecord,
  type SubjectKind,
} from '../../index.ts';
import { checkReportFile, readJsonFile, writeReportFile } from '../files.ts';
import { explain, listOf } from '../list.ts';
import { counterOf } from '../progress.ts';
import { checkReports, type ReportFlags, writeReports } from '../report-options.ts';
import { RunSubject } from './run-subject.ts';
import { TerminalObserver } from './terminal-observer.ts';

/** What the command line gives. */
export interface DeviceFlags extends ReportFlags {
  readonly client?: boolean;
  readonly run?: string;
  readonly model?: string;
  readonly deviceFile?: string;
  readonly host?: string;
  readonly port?: number;
  readonly publicHost?: string;
  readonly tlsSelfSigned?: boolean;
  readonly tlsKeyType?: TlsKeyType;
  readonly waitTime?: number;
  readonly heartbeat?: number;
  readonly failMode?: 'secure' | 'safe';
  readonly antiRepeat?: number;
  readonly reaction?: number;
  readonly boot?: number;
  readonly openTimes?: readonly [number, number];
  readonly only?: string[];
  readonly skip?: string[];
  readonly fast?: boolean;
  readonly list?: boolean;
  readonly explain?: string;
  readonly sheet?: string;
  readonly session?: string;
  readonly resume?: string;
}

const LOOPBACK = '127.0.0.1';
const ALL = '0.0.0.0';
const PROGRESS_WIDTH = 40;
/** Where an attended session is kept when no file is named. */
const SESSION_FILE = 'ticketscan-device-session.json';

/** Judges, or lists and explains the cases. @throws TicketscanError, CheckUsageError */
export async function judgeDevice(flags: DeviceFlags, io: CliIo): Promise<void> {
  const kind: SubjectKind = flags.client ? 'client' : 'device';
  if (flags.explain !== undefined) return explain(flags.explain, flags.json ?? false, io);
  if (flags.list) return listOf(casesOn(kind), flags, io);
  if (flags.run?.trim() === '')
    throw new TicketscanError(
      'usage',
      '--run needs a command that starts a program: --run "node robot.js".',
    );
  const resume = flags.resume === undefined ? undefined : readSession(flags.resume);
  if (flags.run === undefined && !canAsk(io))
    throw new TicketscanError(
      'usage',
      'There is no terminal to ask questions on. Run the command in a terminal, or name a program that acts as the device: --run COMMAND.',
    );
  const file =
    flags.resume ?? flags.session ?? (flags.run === undefined ? SESSION_FILE : undefined);
  checkReports(flags);
  if (file !== undefined && resume === undefined) checkReportFile(file, flags);
  const result = await play({ kind, file, resume }, flags, io);
  conclude(result, file, flags, io);
}

interface Session {
  readonly kind: SubjectKind;
  /** Where it is kept, if anywhere. */
  readonly file: string | undefined;
  /** What an earlier run has left. */
  readonly resume: SessionRecord | undefined;
}

async function play(
  { kind, file, resume }: Session,
  flags: DeviceFlags,
  io: CliIo,
): Promise<CheckResult> {
  const { host, publicHost } = addressesFrom(flags);
  const key = resume?.key ?? makeApiKey(kind === 'client' ? 'api' : 'hardware', randomBytes);
  if (flags.sheet !== undefined) await writeCodeSheet(flags.sheet, key, flags.force);
  using tls = flags.tlsSelfSigned
    ? await makeSessionTls([publicHost], flags.tlsKeyType)
    : undefined;
  const stop = new AbortController();
  io.stopSignal().addEventListener('abort', () => stop.abort(new Interrupted()), { once: true });
  const progress = counterOf(io);
  return await checkDevice({
    ...setUp(flags),
    kind,
    host,
    publicHost,
    key,
    resume,
    tls,
    ...partners(flags, { tls, stop }, io),
    baseline: flags.baseline === undefined ? undefined : readJsonFile(flags.baseline),
    signal: stop.signal,
    onRecord: (record) => file !== undefined && writeSession(file, record),
    onScene: (scene, number, count) => {
      const line = `Scene ${number} of ${count}${flags.run === undefined ? '' : `: ${scene}`}`;
      if (flags.run === undefined) io.err(line);
      else if (io.stderrIsTty) progress.show(line.padEnd(PROGRESS_WIDTH));
      else note(io, line);
    },
  }).finally(progress.end);
}

/** A device on a desk needs an address of the network; a program on this machine does not. */
function addressesFrom({ host, publicHost, run }: DeviceFlags) {
  const listen = host ?? (run === undefined ? ALL : LOOPBACK);
  const own = isAllAddresses(listen) ? (ownAddresses()[0] ?? LOOPBACK) : listen;
  return { host: listen, publicHost: publicHost ?? own };
}

function setUp(flags: DeviceFlags): Partial<DeviceCheckOptions> {
  return {
    model: flags.model,
    deviceFile: flags.deviceFile,
    port: flags.port,
    only: flags.only,
    skip: flags.skip,
    fast: flags.fast,
    ...defined({
      waitTimeMs: flags.waitTime,
      heartbeatMs: flags.heartbeat,
      failMode: flags.failMode,
      antiRepeatMs: flags.antiRepeat,
      reactionMs: flags.reaction,
      bootMs: flags.boot,
      openSeconds: flags.openTimes,
    }),
  };
}

interface PartnerParts {
  readonly tls: SessionTls | undefined;
  readonly stop: AbortController;
}

/** Who presents the codes and says what happened: the program of `--run`, or the person at the terminal. */
function partners(
  flags: DeviceFlags,
  { tls, stop }: PartnerParts,
  io: CliIo,
): Pick<DeviceCheckOptions, 'subject' | 'observer'> {
  const { reaction = DEFAULT_SETTINGS.reactionMs } = flags;
  if (flags.run !== undefined)
    return {
      subject: new RunSubject(flags.run, {
        env: io.env,
        reactionMs: reaction,
        caFile: tls?.caFile,
        onMessage: (line) => io.err(line),
      }),
    };
  return {
    observer: new TerminalObserver(io, {
      kind: flags.client ? 'client' : 'device',
      sheet: flags.sheet,
      stop: () => stop.abort(new Interrupted()),
    }),
  };
}

/** The options that a session is resumed with. */
function judgedBy({ client, deviceFile, model }: DeviceFlags): string {
  if (client) return ' --client';
  if (deviceFile === undefined) return '';
  return ` --device-file ${deviceFile}${model === undefined ? '' : ` --model ${model}`}`;
}

function conclude(
  result: CheckResult,
  file: string | undefined,
  flags: DeviceFlags,
  io: CliIo,
): void {
  writeReports(result, flags, io);
  if (result.brokenOff === undefined) {
    io.exit(exitCodeOf(result, flags.failOn));
    return;
  }
  if (file !== undefined)
    io.err(`Go on with: ticketscan check device${judgedBy(flags)} --resume ${file}`);
  io.exit(130);
}

/** @throws TicketscanError `usage` for a file that is no session of this version */
function readSession(path: string): SessionRecord {
  const value = readJsonFile(path);
  if (typeof value === 'object' && value !== null) {
    const { version, kind, requests, presentations } = value as Partial<SessionRecord>;
    const isSession = Array.isArray(requests) && typeof presentations === 'object';
    if (version === 2 && isSession && (kind === 'device' || kind === 'client'))
      return value as SessionRecord;
  }
  throw new TicketscanError(
    'usage',
    `${path} is not a session of check device. An interrupted session says which file it wrote.`,
  );
}

/**
 * For its owner: it has the key and the codes of the session. A session that is cut off in the middle leaves the file as it was.
 * @throws TicketscanError `usage`
 */
function writeSession(path: string, record: SessionRecord): void {
  const growing = `${path}.part`;
  // Never through a link that somebody put there.
  rmSync(growing, { force: true });
  writeReportFile(growing, `${JSON.stringify(record)}\n`, {});
  renameSync(growing, path);
}

/** Certificates for a session over HTTPS. */
interface SessionTls extends DeviceTls, Disposable {
  /** The one to trust, as a file. */
  readonly caFile: string;
}

/** Makes both: one to trust, and another for the same name that nobody trusts. @param names of this machine as the subject knows it */
async function makeSessionTls(
  names: readonly string[],
  keyType: TlsKeyType | undefined,
): Promise<SessionTls> {
  const make = () => makeSelfSigned(names, keyType);
  const [trusted, untrusted] = await Promise.all([make(), make()]);
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-device-'));
  const caFile = join(folder, 'certificate.pem');
  writeForAll(caFile, trusted.cert);
  return {
    certificate: trusted,
    ca: trusted.cert,
    untrusted,
    caFile,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const SHEET = 'a4';

function openedSheet(path: string): number {
  try {
    return openToWrite(path, 'w', 0o600);
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be written: ${fileFailure(error)}.`);
  }
}

/** Prints every code of a session, with its number, as a PDF. @throws TicketscanError `usage` when the file cannot be written */
async function writeCodeSheet(path: string, key: string, force = false): Promise<number> {
  checkReportFile(path, { force });
  const [{ loadFonts }, { writeSheet }, { layoutNamed }] = await Promise.all([
    import('../../../tickets/sheets/text.ts'),
    import('../../../tickets/sheets/write-sheet.ts'),
    import('../../../tickets/sheets/layouts.ts'),
  ]);
  makeFolder(dirname(path));
  const target = createWriteStream(path, { fd: openedSheet(path) });
  const { tickets } = await writeSheet(target, sessionCodes(key).map(printed), {
    layout: layoutNamed(SHEET),
    fonts: await loadFonts([]),
    language: 'en',
    timeZone: 'UTC',
    lines: ['Opens nothing: made for a check of a device.'],
    title: 'Codes of a session of ticketscan check device',
  });
  return tickets;
}

function printed(code: string, index: number): PrintedTicket {
  return {
    id: code.split('.')[1] ?? '',
    eventId: 'check1',
    eventName: 'ticketscan check device',
    holder: { firstName: 'Code', lastName: String(index + 1) },
    code,
    ticketType: 'single',
    usesAllowed: 1,
    validFrom: null,
    validUntil: null,
    createdAt: Date.now(),
  };
}
