import { randomBytes } from 'node:crypto';
import type { TlsKeyType } from '../../kit/served-tls.ts';
import { counted } from '../../kit/text.ts';
import { tlsFor } from '../../serve/certificate.ts';
import { type CliIo, stopped } from '../../terminal/io.ts';
import { parsePort, type TrustFlags, trustFrom } from '../../terminal/options.ts';
import { FileDevices } from '../device-files/senders.ts';
import { type RequestKind, RequestKinds } from '../kinds/request-kinds.ts';
import type { RawExchange } from '../proxy/proxied-connection.ts';
import { type ProxyOptions, RecordingProxy } from '../proxy/proxy.ts';
import { Upstream } from '../proxy/upstream.ts';
import {
  LineFile,
  RECORDING_VERSION,
  type RecordingHeader,
  type StoredExchange,
} from '../recording.ts';
import { Redactor } from '../secrets/redactor.ts';
import { expectNoFile, learnFile } from './device-file.ts';
import { readDeviceFiles, readRecording } from './inputs.ts';
import { countsText, exchangeFacts, exchangeLine, introduction, kindLines } from './texts.ts';

export interface RecordOptions extends TrustFlags {
  readonly out: string;
  readonly host: string;
  readonly port: string;
  readonly hideCodes?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsSelfSigned?: boolean;
  readonly tlsKeyType?: TlsKeyType;
  readonly learn?: string;
  readonly deviceFile?: readonly string[];
  readonly json?: boolean;
}

/** Records until it is stopped. Each exchange is in the file as soon as it is over. */
export async function recordSession(url: string, options: RecordOptions, io: CliIo): Promise<void> {
  expectNoFile(options.learn);
  const stop = io.stopSignal();
  const devices = options.deviceFile && new FileDevices(readDeviceFiles(options.deviceFile));
  const upstream = new Upstream(url, trustFrom(options, io));
  const port = parsePort(options.port);
  const tls = await clientTls(options);
  await upstream.probe();
  const file = new LineFile(options.out);
  const output = new RecordOutput(io, options);
  const recording = new Recorder(file, options.hideCodes === true, output, devices);
  file.append(JSON.stringify(headerFor(upstream.shownUrl, options)));
  const proxy = await listenOrDiscard(file, {
    host: options.host,
    port,
    tls,
    upstream,
    finished: (exchange) => recording.take(exchange),
    warn: (text) => io.err(`ticketscan: ${text}`),
  });
  recording.output.started(tls !== undefined, proxy.port, upstream.shownUrl);
  await Promise.race([stopped(stop), recording.failed]);
  await proxy.close();
  file.close();
  recording.output.ended(recording.kinds.all());
  recording.rethrow();
  if (options.learn !== undefined) {
    const { exchanges } = readRecording(options.out, io);
    learnFile(exchanges, options.out, options.learn, io);
  }
}

/** Listens, or removes the file, so that the next try can create it: nothing is recorded without a port. */
function listenOrDiscard(file: LineFile, options: ProxyOptions): Promise<RecordingProxy> {
  return RecordingProxy.listen(options).catch((error) => {
    file.discard();
    throw error;
  });
}

function clientTls({ host, tlsCert, tlsKey, tlsSelfSigned, tlsKeyType }: RecordOptions) {
  // Devices on the bench often speak plain HTTP only: that is said, not forbidden.
  const isSelfSigned = tlsSelfSigned === true;
  const tls = { tlsCert, tlsKey, tlsSelfSigned: isSelfSigned, tlsKeyType, tlsName: undefined };
  return tlsFor({ host, ...tls, tlsElsewhere: true }, undefined);
}

function headerFor(upstream: string, { hideCodes }: RecordOptions): RecordingHeader {
  return {
    ticketscan: 'recording',
    version: RECORDING_VERSION,
    recordedAt: new Date().toISOString(),
    upstream,
    codes: hideCodes === true ? 'pseudonyms' : 'real',
  };
}

/** Writes and reports exchanges; the first failure to write ends the recording. */
class Recorder {
  readonly kinds: RequestKinds;
  readonly output: RecordOutput;
  readonly failed: Promise<void>;
  readonly #file: LineFile;
  readonly #redactor: Redactor;
  readonly #fail: () => void;
  #failure: unknown;

  constructor(
    file: LineFile,
    hidesCodes: boolean,
    output: RecordOutput,
    devices: FileDevices | undefined,
  ) {
    this.#file = file;
    this.kinds = new RequestKinds(devices);
    this.#redactor = new Redactor(hidesCodes ? randomBytes(32) : undefined, devices);
    this.output = output;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.failed = promise;
    this.#fail = resolve;
  }

  take(raw: RawExchange): void {
    if (this.#failure !== undefined) return;
    try {
      const exchange = this.#redactor.redact(raw);
      this.#file.append(JSON.stringify(exchange));
      this.output.exchange(exchange, this.kinds.observe(exchange));
    } catch (error) {
      this.#failure = error;
      this.#fail();
    }
  }

  rethrow(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** Tells of a recording while it is made: lines for people, or JSON objects with `--json`. */
class RecordOutput {
  readonly #io: CliIo;
  readonly #options: RecordOptions;
  readonly #counts = new Map<string, number>();

  constructor(io: CliIo, options: RecordOptions) {
    this.#io = io;
    this.#options = options;
  }

  started(secure: boolean, port: number, upstream: string): void {
    const { out, host, json, deviceFile } = this.#options;
    const shownHost = host.includes(':') ? `[${host}]` : host;
    const url = `${secure ? 'https' : 'http'}://${shownHost}:${port}`;
    if (json === true) this.#event({ event: 'listening', url, upstream, out });
    else {
      this.#io.out(`Recording ${url}, a proxy for ${upstream}, into ${out}. Stop with Ctrl-C.`);
      this.#io.out(`A device's Card URL: ${url}/scan/hw/consume?key=<its key>`);
      if (deviceFile)
        this.#io.out(`Device URL of a device with a device file: ${url}/devices/<its key>`);
    }
    if (!secure && !LOOPBACK.test(host)) {
      this.#io.err(
        'ticketscan: devices send plain HTTP to this address: others on the network can read their key. Use a private network, or --tls-self-signed.',
      );
    }
  }

  /** @param kind when it is the first request of its kind */
  exchange(exchange: StoredExchange, kind: RequestKind | undefined): void {
    const line = exchangeFacts(exchange);
    this.#counts.set(line.model, (this.#counts.get(line.model) ?? 0) + 1);
    if (this.#options.json === true) {
      if (kind) this.#event({ event: 'kind', ...kind });
      this.#event({ event: 'exchange', ...line });
      return;
    }
    this.#io.out(exchangeLine(line));
    if (kind) for (const text of introduction(kind)) this.#io.out(`      ${text}`);
  }

  ended(kinds: readonly RequestKind[]): void {
    const total = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const { out, json } = this.#options;
    if (json === true) {
      const models = Object.fromEntries(this.#counts);
      this.#event({ event: 'summary', out, exchanges: total, models, kinds });
      return;
    }
    for (const kind of kinds) {
      if (kind.model === 'unknown' && kind.requests > 1)
        for (const text of kindLines(kind)) this.#io.out(text);
    }
    const who = total === 0 ? '' : ` (${countsText(this.#counts)})`;
    this.#io.out(`${counted(total, 'exchange')}${who} in ${out}.`);
    if (this.#counts.has('unknown')) {
      this.#io.out(
        `Some are from a device that ticketscan does not know yet. Let its device file be written: ticketscan record show ${out} --learn FILE.yaml (ticketscan docs device-files).`,
      );
    }
  }

  #event(event: object): void {
    this.#io.out(JSON.stringify(event));
  }
}
