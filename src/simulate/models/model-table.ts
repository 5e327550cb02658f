import { SimulateError } from '../errors.ts';
import { accessController } from './access-controller.ts';
import { basIp } from './bas-ip.ts';
import { type DeviceModel, MODEL_IDS } from './device-model.ts';
import { vguang } from './vguang.ts';

const MODELS: readonly DeviceModel[] = [accessController, basIp, vguang];

/** @throws SimulateError `usage` when there is no model of that name */
export function modelNamed(id: string): DeviceModel {
  const model = MODELS.find((one) => one.id === id);
  if (model) return model;
  throw new SimulateError(
    'usage',
    `There is no device model "${id}". The models are: ${MODEL_IDS.join(', ')}.`,
  );
}
