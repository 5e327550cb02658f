import { WIRE_FAULTS, type WireFaultKind } from './wire.ts';

/** Everything that can be made to go wrong with one presentation of a card. */
export const FAULT_KINDS = [
  ...WIRE_FAULTS,
  'double-presentation',
  'bad-base64',
  'wrong-clock',
  'wrong-content-type',
  'power-cycle',
] as const;
/** A fault that the network or the device can be given, such as `power-cycle`. */
export type FaultKind = (typeof FAULT_KINDS)[number];

export function isFaultKind(text: string): text is FaultKind {
  return (FAULT_KINDS as readonly string[]).includes(text);
}

export function isWireFault(kind: FaultKind): kind is WireFaultKind {
  return (WIRE_FAULTS as readonly string[]).includes(kind);
}
