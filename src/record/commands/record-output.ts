import { counted } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import type { RequestKind } from '../kinds/request-kinds.ts';
import type { StoredExchange } from '../recording.ts';
import { exchangeLine } from './exchange-line.ts';
import { countsText, exchangeText, introduction, kindLines } from './show-kinds.ts';

interface OutputOptions {
  readonly out: string;
  readonly host: string;
  readonly json?: boolean;
  readonly deviceFile?: readonly string[];
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** Tells of a recording while it is made: lines for people, or JSON objects with `--json`. */
export class RecordOutput {
  readonly #io: CliIo;
  readonly #options: OutputOptions;
  readonly #counts = new Map<string, number>();

  constructor(io: CliIo, options: OutputOptions) {
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
    const line = exchangeLine(exchange);
    this.#counts.set(line.model, (this.#counts.get(line.model) ?? 0) + 1);
    if (this.#options.json === true) {
      if (kind) this.#event({ event: 'kind', ...kind });
      this.#event({ event: 'exchange', ...line });
      return;
    }
    this.#io.out(exchangeText(line));
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
        'Some are from a device that ticketscan does not know yet: docs/new-device.md says how to add one.',
      );
    }
  }

  #event(event: object): void {
    this.#io.out(JSON.stringify(event));
  }
}
