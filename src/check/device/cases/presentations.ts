import type { DeviceSettings } from '../settings.ts';
import type { SeenRequest } from '../wire/seen-request.ts';
import type { Facts } from './facts.ts';

/** The ways in which an answer is sent completely. */
const WHOLE: readonly string[] = ['whole', 'slow', 'chunked', 'closed', 'late'];
/** Near the end of the Wait Time, the two sides may disagree about which came first. */
const SURELY_IN_TIME = 0.9;

/** Scenes with a plain admission, of which a session that judges what happens each time plays all. */
export const ADMITTING_SCENES: readonly string[] = [
  'granted',
  'again',
  'chunked',
  'rewritten',
  'closed',
  'denied-notYetValid',
  'admitted-later',
];

/** What is presented in scenes that a server answers as servers do: with an admission or a denial. */
const PLAIN: readonly string[] = [
  ...ADMITTING_SCENES,
  'after-closed',
  'relay-in',
  'relay-out',
  'slow',
  'in-time',
  'denied-exhausted',
  'denied-forged',
  'denied-expired',
  'known-denied',
  'back',
  'before-power-loss',
  'after-power-loss',
];

/** Those presentations of the session that got a plain answer, in their order. */
export function plainPresentations({ record }: Facts): string[] {
  return Object.keys(record.observations).filter((name) => PLAIN.includes(name));
}

/** Whether the answer came whole, with a decision, and well within the Wait Time. */
export function isAnsweredInTime(
  { atMs, answer }: SeenRequest,
  { waitTimeMs }: DeviceSettings,
): boolean {
  if (answer?.status !== 200 || !WHOLE.includes(answer.how)) return false;
  return answer.atMs - atMs < SURELY_IN_TIME * waitTimeMs;
}
