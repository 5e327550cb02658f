import { withoutLineEnd } from '../../kit/text.ts';
import { accessController } from './access-controller.ts';
import { basIp } from './bas-ip.ts';
import { type DeviceBody, type DeviceModel, type DeviceScan, UNREADABLE } from './device-model.ts';
import { vguang } from './vguang.ts';

/** Every known model; the first one that reads a body answers it. */
export const DEVICE_MODELS: readonly DeviceModel[] = [accessController, basIp, vguang];

/** What a device sent, and the model that is to be answered. */
export interface DetectedScan {
  readonly model: DeviceModel;
  readonly scan: DeviceScan;
}

/** Finds the model from the body alone (section 1.3). A body that no model reads is answered as the documented model. */
export function detectScan(body: DeviceBody): DetectedScan {
  return recogniseScan(body) ?? { model: accessController, scan: UNREADABLE };
}

/** The model that reads the body; undefined when none does. */
export function recogniseScan(body: DeviceBody): DetectedScan | undefined {
  for (const model of DEVICE_MODELS) {
    const scan = model.read(body);
    if (scan) return { model, scan: withPlainCode(scan) };
  }
  return undefined;
}

/** QR modules append one line end to a code. The signature shows whether the rest is genuine. */
function withPlainCode(scan: DeviceScan): DeviceScan {
  const { ticketCode = '' } = scan;
  const plain = withoutLineEnd(ticketCode);
  return plain === ticketCode ? scan : { ...scan, ticketCode: plain || undefined };
}
