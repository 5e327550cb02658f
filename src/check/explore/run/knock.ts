import { TransportFailure, UnreachableError } from '../../judging/deviation.ts';
import type { TargetTicket } from '../../target/target.ts';
import type { Step } from '../histories/history.ts';
import { meaningOf } from '../model/meaning.ts';
import { isStop } from '../options.ts';
import type { Observation } from './observation.ts';
import type { Runner } from './runner.ts';

const NO_TICKET = (): TargetTicket => {
  throw new Error('a knock has no ticket');
};

/**
 * Sees whether the service answers, and to which heartbeats: their body is not shown.
 * @returns true when heartbeats are answered
 * @throws UnreachableError when there is no answer
 */
export async function knock(runner: Runner, hasHardwareKey: boolean): Promise<boolean> {
  await ask(runner, { action: 'validate', key: 'missing', times: 1 });
  if (!hasHardwareKey) return false;
  for (const body of ['fields', 'empty'] as const) {
    runner.writer.heartbeatBody = body;
    const answer = await ask(runner, { action: 'heartbeat', key: 'hardware', times: 1 });
    if (answer && meaningOf(answer) === 'alive') return true;
  }
  return false;
}

async function ask(runner: Runner, step: Step): Promise<Observation | undefined> {
  try {
    const [answer] = await runner.run({ steps: [step], way: 'in-turn', over: 'new' }, NO_TICKET);
    if (answer?.failure) throw answer.failure;
    return answer;
  } catch (error) {
    if (!(error instanceof TransportFailure) || isStop(error)) throw error;
    throw new UnreachableError(`${runner.origin} cannot be explored: ${error.message}.`, {
      cause: error,
    });
  }
}
