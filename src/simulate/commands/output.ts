import { sanitizeForTerminal } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { type DeviceEvent, tenths } from '../device-events.ts';
import type { Endpoint } from '../network/endpoint.ts';
import type { Time } from '../time.ts';
import type { Receiver, Transport, WireAnswer } from '../wire.ts';

const PROBLEMS: ReadonlySet<DeviceEvent['event']> = new Set([
  'error',
  'timeout',
  'unseen',
  'offline',
  'deviation',
]);
const FLUSH_AT_CHARACTERS = 32 * 1024;

/** Prints lines on stdout. They are gathered, so that a busy fleet does not write a thousand times a second. */
export class LinePrinter {
  readonly #io: CliIo;
  #pending = '';
  #scheduled = false;

  constructor(io: CliIo) {
    this.#io = io;
  }

  lines(texts: readonly string[]): void {
    for (const text of texts) this.#pending += `${text}\n`;
    if (this.#pending.length > FLUSH_AT_CHARACTERS) this.flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => this.flush());
    }
  }

  flush(): void {
    this.#scheduled = false;
    if (this.#pending !== '') this.#io.stdout.write(this.#pending);
    this.#pending = '';
  }
}

/** Which events `--events` prints. */
export function isWanted(event: DeviceEvent, which: 'all' | 'problems' | 'none'): boolean {
  return which === 'all' || (which === 'problems' && isProblem(event));
}

function isProblem(event: DeviceEvent): boolean {
  return PROBLEMS.has(event.event) || ('ok' in event && !event.ok);
}

/** An event as a line for people; undefined for what does not interest them. */
export function plainLine(event: DeviceEvent): string | undefined {
  const text = plainText(event);
  if (text === undefined) return undefined;
  const seconds = (event.t / 1000).toFixed(1).padStart(7);
  return sanitizeForTerminal(`${seconds} s  ${event.device}  ${text}`);
}

function plainText(event: DeviceEvent): string | undefined {
  switch (event.event) {
    case 'post':
      return `card ${event.card} is posted${event.fault ? ` (fault: ${event.fault})` : ''}`;
    case 'granted':
      return `GRANTED in ${event.latencyMs} ms  [${event.name}] [${event.note}]`;
    case 'denied':
      return `DENIED in ${event.latencyMs} ms  [${event.note}] (HTTP ${event.status})`;
    case 'door-open':
      return `door open for ${event.seconds} s, relay ${event.relay}`;
    case 'timeout':
      return `no answer within ${event.latencyMs} ms; the door is ${event.door}`;
    case 'error':
      return `error: ${event.message}; the door is ${event.door}`;
    case 'unseen':
      return `an answer was lost (${event.why}); uses lost: ${event.usesSpent}`;
    case 'ignored':
      return `card ${event.card} is ignored (${event.why})`;
    case 'deviation':
      return `deviation: ${event.what}`;
    case 'heartbeat':
      return event.ok ? undefined : `heartbeat missed: ${event.message}`;
    case 'passage':
      return event.ok
        ? `reported that ${event.turnedBack ? 'nobody' : 'the person'} passed`
        : `the report of the passage failed: ${event.message}`;
    case 'read':
      return undefined;
    default:
      return event.event.replace('-', ' ');
  }
}

/** The transport of a device that prints each request, the card in it and its answer for people, the key hidden. */
export function traced(
  transport: Transport,
  serial: string,
  { time, endpoint, io }: { readonly time: Time; readonly endpoint: Endpoint; readonly io: CliIo },
): Transport {
  const print = (mark: string, text: string): void => {
    for (const line of text.split(/\r?\n/))
      io.err(sanitizeForTerminal(`${serial} ${mark} ${line}`));
  };
  return {
    send(request, receiver, fault) {
      print('>', endpoint.shownText(request));
      if (request.code !== undefined) print('*', `code of the card: ${request.code}`);
      if (fault) print('*', `fault: ${fault.kind}`);
      const sentAtMs = time.nowMs();
      const tell = ({ status, body }: WireAnswer, note = ''): void => {
        print('<', `HTTP ${status} after ${tenths(time.nowMs() - sentAtMs)} ms${note}\n${body}`);
      };
      const watched: Receiver = {
        answered(answer) {
          tell(answer);
          receiver.answered(answer);
        },
        unseen(answer) {
          tell(answer, ', which did not reach the device');
          receiver.unseen(answer);
        },
        failed(failure) {
          print('*', `no answer: ${failure.message}`);
          receiver.failed(failure);
        },
      };
      transport.send(request, watched, fault);
    },
    close: () => transport.close(),
  };
}
