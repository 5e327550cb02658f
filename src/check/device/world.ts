import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { type Clock, REAL_CLOCK } from '../time/clock.ts';

/** What a session happens in: its clock, and the network that its servers listen to. */
export interface DeviceWorld {
  readonly clock: Clock;
  readonly network: Network;
}

/** Brings connections to servers. */
export interface Network {
  /**
   * Takes connections for a server from now on.
   * @param port 0 takes any free one
   * @returns the port
   * @throws Error of the system, for example for a port in use
   */
  open(server: Server, port: number, host: string): Promise<number>;
  /** Takes no more for it. @returns when those that are open have ended */
  close(server: Server): Promise<void>;
}

const TCP: Network = {
  async open(server, port, host) {
    server.listen(port, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
  async close(server) {
    const closed = once(server, 'close');
    server.close();
    await closed;
  },
};

/** This machine. */
export const REAL_DEVICE_WORLD: DeviceWorld = { clock: REAL_CLOCK, network: TCP };
