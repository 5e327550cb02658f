/** Devices and fleets of them for other people's tests: `import { Device, Fleet } from 'ticketscan/simulate'`. */

export { Random } from '../kit/random.ts';
export { type CardFile, readCardFile } from './cards/card-file.ts';
export { readImage } from './cards/read-image.ts';
export { type ConnectOptions, Device, Fleet, type FleetConnectOptions } from './connect.ts';
export type {
  Card,
  DeviceEvent,
  DeviceListener,
  Presentation,
  ScanOutcome,
  UnseenReason,
} from './device-events.ts';
export {
  type DeviceOptions,
  type DeviceSettings,
  type DeviceWorld,
  deviceSettings,
} from './device-settings.ts';
export { SimulateError } from './errors.ts';
export type { FleetOptions, Weighted } from './fleet/fleet.ts';
export { type FleetWorld, SimulatedFleet } from './fleet/fleet.ts';
export type { Interval, RunReport, Summary } from './fleet/statistics.ts';
export type { Display } from './models/device-model.ts';
export { type DeviceState, SimulatedDevice } from './simulated-device.ts';
export { RealTime, type Time, VirtualTime } from './time.ts';
export {
  FAULT_KINDS,
  type FaultKind,
  type Receiver,
  type Transport,
  type WireAnswer,
  type WireFailure,
  type WireFault,
  type WireRequest,
} from './wire.ts';
