import type { Reaction, Subject } from '../../../../src/check/index.ts';
import { type ConnectOptions, Device, type DeviceEvent } from '../../../../src/simulate/index.ts';

/** A simulated device as the subject of a check, in this process. */
export function simulatedSubject(options: Omit<ConnectOptions, 'key' | 'onEvent'>): Subject {
  let device: Device | undefined;
  return {
    async start({ baseUrl, key }, tell) {
      const onEvent = (event: DeviceEvent): void => {
        for (const reaction of reactionsTo(event)) tell(reaction);
      };
      device = Device.connect(baseUrl, { readMs: 0, passMs: 0, ...options, key, onEvent });
    },
    async present(code) {
      await device?.scan(code);
    },
    async power(on) {
      if (on) device?.powerOn();
      else device?.powerOff();
    },
    async close() {
      device?.close();
    },
  };
}

function reactionsTo(event: DeviceEvent): Reaction[] {
  switch (event.event) {
    case 'granted':
      return [{ display: { name: event.name, note: event.note } }, { light: 'green' }];
    case 'denied':
      return [{ display: { note: event.note } }, { light: 'red' }];
    case 'timeout':
    case 'error':
      return event.door === 'closed' ? [{ light: 'red' }] : [];
    case 'door-open':
      return [{ door: 'open', relay: event.relay }];
    case 'door-closed':
      return [{ door: 'closed' }];
    case 'online':
    case 'offline':
      return [{ online: event.event === 'online' }];
    default:
      return [];
  }
}
