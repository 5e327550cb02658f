import { Command } from 'commander';
import type { CliIo } from '../../../terminal/io.ts';
import { asCommand, flagsOf } from '../explore-options.ts';
import { addDeviceOptions, type DeviceFlags } from './device-options.ts';

/** `ticketscan check device`: a device, or client software, judged by a server that answers it well and badly. */
export function deviceCommand(io: CliIo): Command {
  const command = new Command('device').description(
    'Judge a device on your desk, or your own client software: what it sends, and what it does with each answer.',
  );
  return addDeviceOptions(command).action((_flags: DeviceFlags, self: Command) =>
    asCommand(async () => {
      const { judgeDevice } = await import('./judge-device.ts');
      await judgeDevice(flagsOf<DeviceFlags>(self), io);
    }),
  );
}
