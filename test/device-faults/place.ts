import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { type Clock, REAL_CLOCK } from '../../src/check/time/clock.ts';

/** Where a subject stands: the time that it lives in, and how it reaches others. */
export interface Place {
  readonly clock: Clock;
  /** @returns what makes the connections of one power-on to such addresses */
  agentTo(url: string): Agent;
}

/** This machine. */
export const HERE: Place = {
  clock: REAL_CLOCK,
  agentTo(url) {
    const options = { keepAlive: false };
    return url.startsWith('https:') ? new TlsAgent(options) : new Agent(options);
  },
};

/** Does something every so many milliseconds. @returns what ends that */
export function every(ms: number, { after }: Clock, act: () => void): () => void {
  const turn = (): void => {
    act();
    callOff = after(ms, turn);
  };
  let callOff = after(ms, turn);
  return () => callOff();
}
