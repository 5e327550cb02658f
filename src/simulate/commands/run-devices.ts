import { once } from 'node:events';
import { Random } from '../../kit/random.ts';
import type { CliIo } from '../../terminal/io.ts';
import type { DeviceEvent } from '../device-events.ts';
import { SimulatedFleet } from '../fleet/fleet.ts';
import type { RunReport } from '../fleet/statistics.ts';
import { Endpoint } from '../network/endpoint.ts';
import { SocketWire } from '../network/socket-wire.ts';
import { aTicket, StandInServer, type StandInTicket, ticketIn } from '../stand-in.ts';
import { RealTime, VirtualTime } from '../time.ts';
import { faulty, type Transport } from '../wire.ts';
import { traced } from './output.ts';
import type { RunPlan } from './plan.ts';

/** How a run ended. */
export interface RunEnd {
  readonly report: RunReport;
  /** Why the server could not be used, if so. */
  readonly contact: Contact;
  readonly interrupted: boolean;
}

/** Who follows a run. */
export interface RunObserver {
  event(event: DeviceEvent): void;
  /** Called once before the first event, with the devices and a way to end the run. */
  begin?(fleet: SimulatedFleet, end: () => void): void;
}

/** Plays the devices of the plan until they are done or the program must stop. */
export function runDevices(plan: RunPlan, io: CliIo, observer: RunObserver): Promise<RunEnd> {
  return plan.virtual ? runVirtually(plan, io, observer) : runReally(plan, io, observer);
}

async function runReally(plan: RunPlan, io: CliIo, observer: RunObserver): Promise<RunEnd> {
  const time = new RealTime();
  const endpoint = new Endpoint(plan);
  const signal = io.stopSignal();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const watch = new ContactWatch(endpoint.shownUrl, end);
  const connect = tracing(plan, { time, endpoint, io }, () =>
    faulty(new SocketWire(endpoint, time), time),
  );
  const listener = (event: DeviceEvent): void => {
    watch.observe(event);
    observer.event(event);
  };
  const fleet = new SimulatedFleet(plan.fleet, { time, connect, listener });
  observer.begin?.(fleet, end);
  signal.addEventListener('abort', () => end(), { once: true });
  if (!signal.aborted) fleet.start(end);
  await ended;
  const report = fleet.report();
  fleet.stop();
  time.close();
  return { report, contact: watch.conclusion(), interrupted: signal.aborted };
}

/** Prints each request and answer on stderr with `--trace`: stdout has the events. */
function tracing(
  { trace }: RunPlan,
  world: Parameters<typeof traced>[2],
  connect: () => Transport,
): (serial: string) => Transport {
  return trace ? (serial) => traced(connect(), serial, world) : connect;
}

/** Actions of virtual time between two checks for a stop. */
const ACTIONS_AT_ONCE = 20_000;

/** The other side is the stand-in service, in which every card is a ticket; states of a target file are kept. */
async function runVirtually(plan: RunPlan, io: CliIo, observer: RunObserver): Promise<RunEnd> {
  const time = new VirtualTime();
  const random = new Random(plan.seed).stream('stand-in');
  const server = new StandInServer({ time, random, tickets: ticketsOf(plan, time.wallMs()) });
  const endpoint = new Endpoint({ baseUrl: 'http://virtual', key: '' });
  const connect = tracing(plan, { time, endpoint, io }, () => server.connect());
  const listener = (event: DeviceEvent): void => observer.event(event);
  const fleet = new SimulatedFleet(plan.fleet, { time, connect, listener });
  const signal = io.stopSignal();
  let finished = false;
  fleet.start(() => {
    finished = true;
  });
  while (!finished && !signal.aborted) {
    let actions = 0;
    time.runWhile(() => {
      actions += 1;
      return finished || actions > ACTIONS_AT_ONCE;
    });
    await outputWritten(io);
  }
  const report = fleet.report();
  fleet.stop();
  return { report, contact: { kind: 'good' }, interrupted: signal.aborted };
}

/** Virtual time is quicker than most readers of its events: it waits for them, or the events would fill the memory. */
async function outputWritten(io: CliIo): Promise<void> {
  const { writableNeedDrain } = io.stdout as NodeJS.WriteStream;
  if (writableNeedDrain) await once(io.stdout, 'drain');
  else await new Promise((resolve) => setImmediate(resolve));
}

function ticketsOf({ cardFile, fleet }: RunPlan, wallMs: number): Map<string, StandInTicket> {
  const tickets = new Map(fleet.cards.map(({ code }) => [code, aTicket()]));
  for (const [state, cards] of cardFile.states) {
    for (const { code } of cards) {
      if (state === 'unknown') tickets.delete(code);
      else tickets.set(code, aTicket(ticketIn(state, wallMs)));
    }
  }
  return tickets;
}

/** How the contact with the server ended. */
type Contact =
  | { readonly kind: 'good' }
  | { readonly kind: 'unreachable' | 'refused'; readonly message: string };

const REFUSED = 401;

/**
 * Detects a server that cannot be used at all: nothing listens, its name or certificate is wrong, or it
 * refuses the key. As long as it has never answered otherwise, the first such failure ends the run.
 */
class ContactWatch {
  readonly #shownUrl: string;
  readonly #giveUp: () => void;
  #heard = false;
  #unanswered = 0;
  #verdict: Contact | undefined;

  /** @param giveUp called once, when the run cannot succeed */
  constructor(shownUrl: string, giveUp: () => void) {
    this.#shownUrl = shownUrl;
    this.#giveUp = giveUp;
  }

  observe(event: DeviceEvent): void {
    if (this.#heard || this.#verdict) return;
    if (event.event === 'granted' || event.event === 'denied') {
      if (event.status === REFUSED) this.#refused();
      else this.#heard = true;
    } else if (event.event === 'error') {
      if (event.unreachable) this.#conclude('unreachable', event.message);
    } else if (event.event === 'timeout') this.#unanswered += 1;
    else if (event.event === 'heartbeat') this.#heartbeat(event);
  }

  conclusion(): Contact {
    if (this.#verdict) return this.#verdict;
    if (this.#heard || this.#unanswered === 0) return { kind: 'good' };
    const message = `${this.#shownUrl} answered none of ${this.#unanswered} posts within the Wait Time`;
    return { kind: 'unreachable', message };
  }

  #heartbeat({ ok, status, unreachable, message }: DeviceEvent & { event: 'heartbeat' }): void {
    if (ok) this.#heard = true;
    else if (status === REFUSED) this.#refused();
    else if (unreachable) this.#conclude('unreachable', message ?? '');
  }

  #refused(): void {
    const hint = 'is it the key of a hardware integration, and is it active?';
    this.#conclude('refused', `${this.#shownUrl} refuses the key (HTTP 401): ${hint}`);
  }

  #conclude(kind: 'unreachable' | 'refused', message: string): void {
    this.#verdict = { kind, message };
    this.#giveUp();
  }
}
