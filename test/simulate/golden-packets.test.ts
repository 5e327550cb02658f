import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/kit/random.ts';
import type { ScanOutcome } from '../../src/simulate/device-events.ts';
import { deviceSettings } from '../../src/simulate/device-settings.ts';
import { Endpoint } from '../../src/simulate/network/endpoint.ts';
import { SocketWire } from '../../src/simulate/network/socket-wire.ts';
import { SimulatedDevice } from '../../src/simulate/simulated-device.ts';
import { RealTime } from '../../src/simulate/time.ts';
import { faulty } from '../../src/simulate/wire.ts';
import { tcpServer } from './support/servers.ts';

const folder = new URL('../../fixtures/devices/', import.meta.url);
const golden = (file: string) => readFileSync(new URL(file, folder), 'utf8');
const {
  baseUrl,
  key,
  packets: listed,
} = JSON.parse(golden('packets.json')) as {
  baseUrl: string;
  key: string;
  packets: readonly Packet[];
};
/** Some models are known to the service only. */
const packets = listed.filter(({ simulated }) => simulated !== false);

interface Packet {
  readonly file: string;
  readonly model: string;
  readonly simulated?: boolean;
  readonly operation: 'consume' | 'validate' | 'heartbeat';
  readonly code?: string;
  readonly serial: string;
  readonly reader: number;
  readonly clock?: string;
}

/** The machine's timers, with the clock of the packet on the wall. */
class PacketTime extends RealTime {
  readonly #wallMs: number;
  constructor(clock: string) {
    super();
    this.#wallMs = Date.parse(clock);
  }
  override wallMs(): number {
    return this.#wallMs;
  }
}

/** Has a device send the packet over a real socket, and waits for the outcome. */
async function send(packet: Packet, url: string): Promise<ScanOutcome | 'online'> {
  const time = new PacketTime(packet.clock ?? '2026-01-01T00:00:00Z');
  const { promise, resolve } = Promise.withResolvers<ScanOutcome | 'online'>();
  const isHeartbeat = packet.operation === 'heartbeat';
  const settings = deviceSettings({
    model: packet.model,
    reader: packet.reader,
    operation: packet.operation === 'validate' ? 'validate' : 'consume',
    ...(isHeartbeat ? {} : { heartbeatMs: 0 }),
  });
  const device = new SimulatedDevice(packet.serial, settings, {
    time,
    random: new Random('golden'),
    transport: faulty(new SocketWire(new Endpoint({ baseUrl: url, key }), time), time),
    listener: ({ event }) => {
      if (isHeartbeat && (event === 'online' || event === 'heartbeat')) resolve('online');
    },
  });
  device.powerOn();
  if (!isHeartbeat) {
    device.present({ card: { code: packet.code ?? '', label: 'golden' }, done: resolve });
  }
  const outcome = await promise;
  device.close();
  time.close();
  return outcome;
}

/** The packet as it must stand on the wire to this server: only the host differs. */
const expected = (packet: Packet, url: string): string =>
  golden(packet.file).replace(new URL(baseUrl).host, new URL(url).host);

describe('against a server recorded from the fixtures', () => {
  const cases = packets.flatMap((packet) => {
    const answers =
      packet.operation === 'heartbeat' ? ['heartbeat'] : ['card.granted', 'card.denied'];
    return answers.map((answer) => ({ packet, answer: `${packet.model}/${answer}.response.http` }));
  });

  test.each(cases)('$packet.file is sent and $answer is understood', async ({ packet, answer }) => {
    let received = '';
    const server = await tcpServer((socket) => {
      socket.on('data', (bytes) => {
        received += bytes.toString('utf8');
        if (received === expected(packet, server.url)) socket.write(golden(answer));
        else if (received.length >= expected(packet, server.url).length) socket.destroy();
      });
    });
    const outcome = await send(packet, server.url);
    await server.close();

    expect(received).toBe(expected(packet, server.url));
    if (packet.operation === 'heartbeat') expect(outcome).toBe('online');
    else
      expect(outcome).toMatchObject({ result: answer.includes('granted') ? 'granted' : 'denied' });
  });
});
