import { didYouMean } from '../kit/nearest.ts';
import { SimulateError } from './errors.ts';
import { FAULT_KINDS, type FaultKind, isFaultKind } from './faults.ts';
import type { Weighted } from './fleet/fleet-options.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};

/**
 * A time such as `500ms`, `10s`, `2m` or `1h` in milliseconds; a bare number is seconds.
 * @throws SimulateError `usage` for anything else
 */
export function parseDuration(text: string): number {
  const [, digits, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|min|h)?$/.exec(text.trim()) ?? [];
  const factor = UNIT_MS[unit];
  if (digits === undefined || factor === undefined) {
    throw new SimulateError(
      'usage',
      `"${text}" is not a valid duration: write 500ms, 10s, 2m or 1h.`,
    );
  }
  return Math.round(Number(digits) * factor * 1e6) / 1e6;
}

/**
 * A Wait Time in the unit of devices, 0.1 s: `3s`, `300ms`, or a bare number in that unit.
 * @throws SimulateError `usage` for anything else, and for a part of a unit
 */
export function parseWaitTime(text: string): number {
  if (!/[a-z]/i.test(text)) return parseWhole(text, 'a Wait Time');
  const units = parseDuration(text) / 100;
  if (Number.isInteger(units)) return units;
  throw new SimulateError('usage', `A Wait Time must be a multiple of 100ms, not "${text}".`);
}

/** A time with a sign, in days too: `-365d`, `90s`. Milliseconds; negative is behind. */
export function parseOffset(text: string): number {
  const amount = text.trim().replace(/^-/, '');
  const sign = amount === text.trim() ? 1 : -1;
  const days = /^(\d+)d$/.exec(amount)?.[1];
  return sign * (days === undefined ? parseDuration(amount) : Number(days) * 24 * 3_600_000);
}

/** `max`, or people a second. */
export function parseRate(text: string): number | 'max' {
  return text === 'max' ? 'max' : parseNumber(text, 'a rate');
}

export function parseNumber(text: string, what: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new SimulateError('usage', `"${text}" is not ${what}; write a number.`);
}

export function parseWhole(text: string, what: string): number {
  const value = parseNumber(text, what);
  if (Number.isInteger(value)) return value;
  throw new SimulateError('usage', `"${text}" is not ${what}; write a whole number.`);
}

/** `reset=0.01,lost-answer=0.02`, or `all=0.01` for each of them. */
export function parseFaults(text: string): Partial<Record<FaultKind, number>> {
  const faults: Partial<Record<FaultKind, number>> = {};
  for (const { value, weight } of weights(text, Number.NaN)) {
    if (Number.isNaN(weight)) {
      throw new SimulateError('usage', `"${value}" needs a probability: ${value}=0.01.`);
    }
    if (value === 'all') for (const kind of FAULT_KINDS) faults[kind] = weight;
    else if (isFaultKind(value)) faults[value] = weight;
    else {
      const known = [...FAULT_KINDS, 'all'];
      throw new SimulateError(
        'usage',
        `Unknown fault "${value}".${didYouMean(value, known)} Known faults: ${known.join(', ')}.`,
      );
    }
  }
  return faults;
}

/** `access-controller=6,bas-ip=3`, or one name alone. */
export function parseWeights(text: string): Weighted<string>[] {
  return weights(text, 1);
}

export function parseOperations(text: string): Weighted<'consume' | 'validate'>[] {
  return weights(text, 1).map(({ value, weight }) => {
    if (value === 'consume' || value === 'validate') return { value, weight };
    throw new SimulateError('usage', `"${value}" is not an operation: use consume or validate.`);
  });
}

/** `text` is one of `choices`. */
export function parseChoice<T extends string>(
  text: string,
  choices: readonly T[],
  what: string,
): T {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new SimulateError(
    'usage',
    `"${text}" is not a ${what}. Choose from: ${choices.join(', ')}.`,
  );
}

function weights(text: string, without: number): Weighted<string>[] {
  return text.split(',').map((part) => {
    const [value = '', weight] = part.trim().split('=');
    if (value === '')
      throw new SimulateError('usage', `"${text}" has an empty part. Remove the comma beside it.`);
    return { value, weight: weight === undefined ? without : parseNumber(weight, 'a weight') };
  });
}
