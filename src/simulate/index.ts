/** Devices and fleets of them for other people's tests: `import { Device, Fleet } from 'ticketscan/simulate'`. */

export { Random } from '../kit/random.ts';
export { type CardFile, readCardFile } from './cards/card-file.ts';
export { readImage } from './cards/read-image.ts';
export { type ConnectOptions, Device } from './device.ts';
export type { DeviceEvent, DeviceListener, UnseenReason } from './device-events.ts';
export type { DeviceOptions, DeviceSettings, DeviceWorld } from './device-settings.ts';
export { deviceSettings } from './device-settings.ts';
export type { Display } from './display.ts';
export { SimulateError, type SimulateErrorKind } from './errors.ts';
export { FAULT_KINDS, type FaultKind } from './faults.ts';
export { type FleetWorld, SimulatedFleet } from './fleet/fleet.ts';
export type { FleetOptions, Weighted } from './fleet/fleet-options.ts';
export type { Interval, RunReport, Summary } from './fleet/summary.ts';
export { Fleet, type FleetConnectOptions } from './fleet.ts';
export type { Card, Presentation, ScanOutcome } from './scan-attempt.ts';
export { type DeviceState, SimulatedDevice } from './simulated-device.ts';
export { RealTime, type Time } from './time.ts';
export { VirtualTime } from './virtual-time.ts';
export type {
  Receiver,
  Transport,
  WireAnswer,
  WireFailure,
  WireFault,
  WireRequest,
} from './wire.ts';
