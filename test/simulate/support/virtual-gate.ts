import { Random } from '../../../src/kit/random.ts';
import type { DeviceEvent, ScanOutcome } from '../../../src/simulate/device-events.ts';
import { type DeviceOptions, deviceSettings } from '../../../src/simulate/device-settings.ts';
import { SimulatedDevice } from '../../../src/simulate/simulated-device.ts';
import { VirtualTime } from '../../../src/simulate/time.ts';
import type { FaultKind, Receiver, WireAnswer, WireRequest } from '../../../src/simulate/wire.ts';

/** A request as the other side of a virtual gate sees it. */
interface SentRequest extends WireRequest {
  readonly receiver: Receiver;
  readonly atMs: number;
}

/**
 * A device on a virtual clock whose server is the test: requests pile up in `sent`, and the test answers them.
 * Heartbeats are answered by themselves while `heartbeatsAnswered` is true.
 */
export function virtualGate(options: DeviceOptions = {}) {
  const time = new VirtualTime();
  const events: DeviceEvent[] = [];
  const sent: SentRequest[] = [];
  const gate = { heartbeatsAnswered: true };
  const transport = {
    send(request: WireRequest, receiver: Receiver): void {
      const entry = { ...request, receiver, atMs: time.nowMs() };
      if (request.operation !== 'heartbeat') sent.push(entry);
      else if (gate.heartbeatsAnswered) {
        const body = JSON.stringify({ Key: JSON.parse(request.body).Key });
        time.after(1, () => receiver.answered({ status: 200, body }));
      }
    },
    close(): void {
      // Nothing is kept open.
    },
  };
  const world = {
    time,
    random: new Random('test'),
    transport,
    listener: (event: DeviceEvent) => events.push(event),
  };
  const device = new SimulatedDevice('SIM00001', deviceSettings({ readMs: 0, ...options }), world);
  device.powerOn();
  time.runUntil(10);
  return Object.assign(gate, {
    time,
    events,
    sent,
    device,
    outcomes: [] as ScanOutcome[],
    present(code: string, fault?: FaultKind): boolean {
      return device.present({
        card: { code, label: code },
        fault,
        done: (outcome) => this.outcomes.push(outcome),
      });
    },
    /** Answers the newest post. */
    answer(answer: WireAnswer): void {
      this.sent.at(-1)?.receiver.answered(answer);
    },
    names: () => events.map(({ event }) => event),
  });
}

export function granted(fields: Record<string, string> = {}): WireAnswer {
  const body = {
    AcsRes: '1',
    ActIndex: '0',
    Time: '5',
    Name: 'Einzelticket',
    Note: 'Ticket gültig (1/1)',
  };
  return { status: 200, body: JSON.stringify({ ...body, ...fields }) };
}

export function denied(note = 'Ticket erschöpft', status = 200): WireAnswer {
  return { status, body: JSON.stringify({ AcsRes: '0', ActIndex: '0', Time: '0', Note: note }) };
}
