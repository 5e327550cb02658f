import { DeviceNames } from '../../core/gate-name.ts';
import { allPages, type DataAccess } from '../data-access.ts';
import { listNamesOfDevices } from './operations.ts';

/** The names of devices for a command, on a store or at a server. */
export async function namesOfDevices({ call }: Pick<DataAccess, 'call'>): Promise<DeviceNames> {
  return new DeviceNames(await allPages((page) => call(listNamesOfDevices, page)));
}
