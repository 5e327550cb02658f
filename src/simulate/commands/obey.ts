import { createInterface } from 'node:readline';
import { givenVariable } from '../../config/given-value.ts';
import { jsonRecord } from '../../kit/json-text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { trustFrom } from '../../terminal/options.ts';
import { Device } from '../connect.ts';
import type { DeviceEvent } from '../device-events.ts';
import { SimulateError } from '../errors.ts';
import { splitDeviceUrl } from '../network/endpoint.ts';
import type { SimulateOptions } from './options.ts';
import { deviceOptions, keyFor } from './plan.ts';

type Line = Readonly<Record<string, unknown>>;

/**
 * One device that does what lines of JSON on stdin say, and tells on stdout what happens: the other side of `check device --run`. Ends with
 * its input.
 */
export async function obeyCommands(
  baseUrl: string | undefined,
  options: SimulateOptions,
  io: CliIo,
): Promise<void> {
  const address = baseUrl ?? givenVariable(io.env, 'TICKETSCAN_URL');
  if (address === undefined)
    throw new SimulateError('Which server? Add its address, or set TICKETSCAN_URL.');
  const url = splitDeviceUrl(address);
  const tell = (line: Line): void => io.out(JSON.stringify(line));
  const { serial, seed } = options;
  const model = await onlyModel(options);
  await using device = Device.connect(url.baseUrl, {
    readMs: 0,
    passMs: 0,
    ...deviceOptions(options),
    ...(model === undefined ? {} : { model }),
    ...(serial === undefined ? {} : { serial }),
    ...(seed === undefined ? {} : { seed }),
    key: keyFor({ given: options.key ?? url.key, inFile: undefined }, io),
    tls: trustFrom(options, io),
    onEvent: (event) => {
      for (const line of linesOf(event)) tell(line);
    },
  });
  const lines = createInterface({ input: io.stdin, signal: io.stopSignal() });
  tell({ tells: ['door', 'display', 'light', 'online'] });
  for await (const text of lines) obey(device, text, tell, io);
}

/** @throws SimulateError for several */
async function onlyModel({ model, deviceFile }: SimulateOptions) {
  if (model && model.length > 1)
    throw new SimulateError('--commands plays one device: give one --model.');
  if (deviceFile === undefined) return model?.[0]?.value;
  const { fileModels } = await import('./file-models.ts');
  return fileModels(deviceFile, model)[0]?.value;
}

function obey(device: Device, text: string, tell: (line: Line) => void, io: CliIo): void {
  const command = jsonRecord(text);
  if (typeof command?.['present'] === 'string')
    void device.scan(command['present']).then(() => tell({ done: true }));
  else if (command?.['power'] === 'off') device.powerOff();
  else if (command?.['power'] === 'on') device.powerOn();
  else
    io.err(`Not a command: ${text}. Send {"present":"CODE"}, {"power":"off"} or {"power":"on"}.`);
}

/** What a person at the gate sees of an event. */
function linesOf(event: DeviceEvent): Line[] {
  switch (event.event) {
    case 'granted':
    case 'denied': {
      const { name, note } = event;
      return [{ display: { name, note } }, { light: event.event === 'granted' ? 'green' : 'red' }];
    }
    case 'timeout':
    case 'error':
      return event.door === 'closed' ? [{ light: 'red' }] : [];
    case 'door-open':
      return [{ door: 'open', relay: event.relay }];
    case 'door-closed':
    case 'power-off':
      return [{ door: 'closed' }];
    case 'online':
    case 'offline':
      return [{ online: event.event === 'online' }];
    default:
      return [];
  }
}
