import { once } from 'node:events';
import { Random } from '../../kit/random.ts';
import type { CliIo } from '../../terminal/io.ts';
import type { DeviceEvent } from '../device-events.ts';
import { SimulatedFleet } from '../fleet/fleet.ts';
import type { RunReport } from '../fleet/summary.ts';
import { Endpoint } from '../network/endpoint.ts';
import { SocketTransport } from '../network/socket-transport.ts';
import { StandInServer } from '../stand-in/stand-in-server.ts';
import { aTicket } from '../stand-in/stand-in-tickets.ts';
import { RealTime, type Time } from '../time.ts';
import { VirtualTime } from '../virtual-time.ts';
import type { Transport, WireRequest } from '../wire.ts';
import { type Contact, ContactWatch } from './contact-watch.ts';
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
  const connect = tracing(plan, io, time, endpoint, () => new SocketTransport(endpoint, time));
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

/** With `--trace`, prints each request and answer on stderr: stdout has the events. */
function tracing(
  { trace }: RunPlan,
  io: CliIo,
  time: Time,
  endpoint: Endpoint,
  connect: () => Transport,
): (serial: string) => Transport {
  if (!trace) return connect;
  const requestText = (request: WireRequest) => endpoint.shownText(request);
  const print = (line: string) => io.err(line);
  return (serial) => traced(connect(), serial, { time, requestText, print });
}

/** Actions of virtual time between two checks for a stop. */
const ACTIONS_AT_ONCE = 20_000;

/** The other side is the stand-in service, in which every card is a ticket; states of a target file are kept. */
async function runVirtually(plan: RunPlan, io: CliIo, observer: RunObserver): Promise<RunEnd> {
  const time = new VirtualTime();
  const random = new Random(plan.seed).stream('stand-in');
  const server = new StandInServer({ time, random, tickets: ticketsOf(plan) });
  const endpoint = new Endpoint({ baseUrl: 'http://virtual', key: '' });
  const connect = tracing(plan, io, time, endpoint, () => server.connect());
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

const DAY_MS = 24 * 3_600_000;
/** 1 January 2026, 9:00 UTC: where virtual time begins. */
const START_MS = Date.UTC(2026, 0, 1, 9);
const STATE_FACTS: Readonly<Record<string, Parameters<typeof aTicket>[0]>> = {
  multi: { usesAllowed: 10 },
  permanent: { usesAllowed: 9999 },
  exhausted: { usesConsumed: 1 },
  cancelled: { cancelled: true },
  notYetValid: { validFrom: START_MS + DAY_MS },
  expired: { validUntil: START_MS - DAY_MS },
  otherEvent: { otherEvent: true },
};

function ticketsOf({ cardFile, fleet }: RunPlan): Map<string, ReturnType<typeof aTicket>> {
  const tickets = new Map(fleet.cards.map(({ code }) => [code, aTicket()]));
  for (const [state, cards] of cardFile.states) {
    for (const { code } of cards) {
      if (state === 'unknown') tickets.delete(code);
      else tickets.set(code, aTicket(STATE_FACTS[state]));
    }
  }
  return tickets;
}
