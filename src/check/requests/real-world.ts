import { setImmediate as turn } from 'node:timers/promises';
import { REAL_CLOCK } from '../time/clock.ts';
import { Connection, dial } from './connection.ts';
import type { World } from './world.ts';

const ACCEPT_MS = 20;

/** The clocks of this machine and its network. */
export const REAL_WORLD: World = {
  ...REAL_CLOCK,
  connect: async (options) => new Connection(await dial(options), options),
  /**
   * The other side accepts connections a moment after they are open on this side, one after the other, and requests that
   * leave before are answered one by one. A server in this process needs turns of its own.
   */
  async accepted(count) {
    await REAL_CLOCK.sleep(ACCEPT_MS);
    for (let turns = 0; turns < 2 * count; turns += 1) await turn();
  },
};
