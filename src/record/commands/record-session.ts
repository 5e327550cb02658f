import { randomBytes } from 'node:crypto';
import { tlsFor } from '../../serve/certificate.ts';
import { type CliIo, stopped } from '../../terminal/io.ts';
import { parsePort, type TrustFlags } from '../../terminal/options.ts';
import type { FileDevices } from '../device-files/file-devices.ts';
import { RequestKinds } from '../kinds/request-kinds.ts';
import { LineFile } from '../line-file.ts';
import { type ProxyOptions, RecordingProxy } from '../proxy/proxy.ts';
import type { RawExchange } from '../proxy/raw-exchange.ts';
import { parseRecording, RECORDING_VERSION, type RecordingHeader } from '../recording.ts';
import { Redactor } from '../secrets/redactor.ts';
import { expectNoFile, learnFile } from './learn-file.ts';
import { fileDevicesAt } from './read-device-files.ts';
import { RecordOutput } from './record-output.ts';
import { readFile, upstreamOf } from './upstream-options.ts';

export interface RecordOptions extends TrustFlags {
  readonly out: string;
  readonly host: string;
  readonly port: string;
  readonly hideCodes?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsSelfSigned?: boolean;
  readonly learn?: string;
  readonly deviceFile?: readonly string[];
  readonly json?: boolean;
}

/** Records until it is stopped. Each exchange is in the file as soon as it is over. */
export async function recordSession(url: string, options: RecordOptions, io: CliIo): Promise<void> {
  expectNoFile(options.learn);
  const stop = io.stopSignal();
  const devices = options.deviceFile && fileDevicesAt(options.deviceFile);
  const upstream = upstreamOf(url, options, io);
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
    const { exchanges } = parseRecording(readFile(options.out), options.out);
    learnFile(exchanges, options.out, options.learn, io);
  }
}

/** Without a port nothing is recorded: remove the file, so that the next try can create it. */
function listenOrDiscard(file: LineFile, options: ProxyOptions): Promise<RecordingProxy> {
  return RecordingProxy.listen(options).catch((error) => {
    file.discard();
    throw error;
  });
}

function clientTls({ host, tlsCert, tlsKey, tlsSelfSigned }: RecordOptions) {
  // Devices on the bench often speak plain HTTP only: that is said, not forbidden.
  const isSelfSigned = tlsSelfSigned === true;
  const tls = { tlsCert, tlsKey, tlsSelfSigned: isSelfSigned, tlsName: undefined };
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
