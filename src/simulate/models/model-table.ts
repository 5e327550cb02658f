import { didYouMean } from '../../kit/nearest.ts';
import { SimulateError } from '../errors.ts';
import { accessController } from './access-controller.ts';
import { basIp } from './bas-ip.ts';
import type { DeviceModel } from './device-model.ts';
import { vguang } from './vguang.ts';

/** The first whose format a body has answers it. */
export const MODELS: readonly DeviceModel[] = [accessController, basIp, vguang];
export const MODEL_IDS = MODELS.map(({ id }) => id);

/** @throws SimulateError `usage` when there is no model of that name */
export function modelNamed(id: string): DeviceModel {
  const model = MODELS.find((one) => one.id === id);
  if (model) return model;
  throw new SimulateError(
    'usage',
    `Unknown device model "${id}".${didYouMean(id, MODEL_IDS)} Known models: ${MODEL_IDS.join(', ')}.`,
  );
}
