import { cardOf } from '../cards/card-file.ts';
import type { Card } from '../device-events.ts';
import type { DeviceOptions } from '../device-settings.ts';
import { SimulateError } from '../errors.ts';
import type { DeviceModel } from '../models/device-model.ts';
import type { FaultKind } from '../wire.ts';

/** A value and how often it is chosen, in proportion to the other weights. */
export interface Weighted<T> {
  readonly value: T;
  readonly weight: number;
}

/** How many devices, of which models, and what they do. */
export interface FleetOptions {
  /** How many devices, 1 to 10,000. */
  readonly devices?: number;
  readonly models?: readonly Weighted<string | DeviceModel>[];
  readonly operations?: readonly Weighted<'consume' | 'validate'>[];
  /** Settings of all devices. In a fleet reading, passing and anti-repeat take no time unless told otherwise. */
  readonly device?: DeviceOptions;
  /** Of the first device; the others count on from its last digits. */
  readonly serial?: string;
  /** Ticket codes, or cards. */
  readonly cards?: readonly (string | Card)[];
  /** People a second, or `max`: every gate takes the next card as soon as it is free. Without a rate nobody comes. */
  readonly rate?: number | 'max';
  readonly arrivals?: 'poisson' | 'constant';
  readonly rampMs?: number;
  readonly durationMs?: number;
  /** Number of people in total. Without this and a duration, each card comes once. */
  readonly people?: number;
  /** How likely each fault is, 0 to 1; together at most 1. */
  readonly faults?: Partial<Record<FaultKind, number>>;
  /** How often a person tries again when no answer came. */
  readonly retries?: number;
  readonly retryAfterMs?: number;
  /** With the rate `max`: from a free gate to the next person at it. */
  readonly thinkMs?: number;
  /** True runs until it is stopped, for cards that are presented by hand. */
  readonly staysOpen?: boolean;
  /** True ends only when every door is closed again. */
  readonly untilDoorsClose?: boolean;
  /** Any text; the same seed gives the same run. */
  readonly seed?: string;
}

export const DEVICES_MAX = 10_000;
const FLEET_DEVICE: DeviceOptions = { readMs: 0, passMs: 0, antiRepeatMs: 0 };

export type FleetPlan = Required<Omit<FleetOptions, 'rate' | 'durationMs' | 'people' | 'cards'>> &
  Pick<FleetOptions, 'rate' | 'durationMs' | 'people'> & { readonly cards: readonly Card[] };

/** @throws SimulateError `usage` for a number out of range, or people without a card */
export function fleetPlan(options: FleetOptions): FleetPlan {
  const plan: FleetPlan = {
    devices: 1,
    models: [{ value: options.device?.model ?? 'access-controller', weight: 1 }],
    operations: [{ value: options.device?.operation ?? 'consume', weight: 1 }],
    serial: 'SIM00001',
    arrivals: 'poisson',
    rampMs: 0,
    faults: {},
    retries: Object.keys(options.faults ?? {}).length > 0 ? 1 : 0,
    retryAfterMs: 2000,
    thinkMs: 0,
    staysOpen: false,
    untilDoorsClose: false,
    seed: '1',
    ...options,
    cards: (options.cards ?? []).map((card) => (typeof card === 'string' ? cardOf(card) : card)),
    device: { ...FLEET_DEVICE, ...options.device },
  };
  check(plan);
  if (plan.rate === undefined || plan.durationMs !== undefined || plan.people !== undefined) {
    return plan;
  }
  return { ...plan, people: plan.cards.length };
}

function check(plan: FleetPlan): void {
  const { devices, rate, faults, cards } = plan;
  if (!Number.isInteger(devices) || devices < 1 || devices > DEVICES_MAX) {
    throw new SimulateError('usage', `A fleet has 1 to ${DEVICES_MAX} devices, not ${devices}.`);
  }
  if (rate !== undefined && rate !== 'max' && !(rate > 0 && rate <= 1e6)) {
    throw new SimulateError(
      'usage',
      `The rate must be a number of people a second above 0, not ${rate}.`,
    );
  }
  if (rate !== undefined && cards.length === 0) {
    throw new SimulateError('usage', 'A rate needs cards: add --card or --cards-from.');
  }
  const likely = Object.values(faults).reduce((sum, probability) => sum + probability, 0);
  const each = Object.values(faults).every((probability) => probability >= 0 && probability <= 1);
  if (!each || likely > 1 + 1e-9) {
    throw new SimulateError('usage', 'Faults have probabilities from 0 to 1, together at most 1.');
  }
}
