import type { CliIo } from '../../terminal/io.ts';
import type { DeviceEvent } from '../device-events.ts';
import type { RunPlan } from './plan.ts';

const PROBLEMS: ReadonlySet<DeviceEvent['event']> = new Set([
  'error',
  'timeout',
  'unseen',
  'offline',
  'deviation',
]);
const FLUSH_AT_CHARACTERS = 32 * 1024;

/** Prints events as JSON, one a line. Lines are gathered, so that a busy fleet does not write a thousand times a second. */
export class EventPrinter {
  readonly #io: CliIo;
  readonly #which: RunPlan['events'];
  #pending = '';
  #scheduled = false;

  constructor(io: CliIo, which: RunPlan['events']) {
    this.#io = io;
    this.#which = which;
  }

  /** The first line: what is needed to repeat the run. */
  start(plan: RunPlan): void {
    const { seed, baseUrl } = plan;
    const devices = plan.fleet.devices ?? 1;
    this.line({ event: 'start', t: 0, seed, devices, baseUrl, virtual: plan.virtual });
  }

  print(event: DeviceEvent): void {
    if (isWanted(event, this.#which)) this.line(event);
  }

  line(value: object): void {
    this.#pending += `${JSON.stringify(value)}\n`;
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
export function isWanted(event: DeviceEvent, which: RunPlan['events']): boolean {
  return which === 'all' || (which === 'problems' && isProblem(event));
}

function isProblem(event: DeviceEvent): boolean {
  return PROBLEMS.has(event.event) || ('ok' in event && !event.ok);
}
