// Judges a device without a person: here a simulated one. Your own device, or a robot in front of it, is a `subject` as well.
import { checkDevice, exitCodeOf, listDeviceCases } from 'ticketscan/check';
import { Device } from 'ticketscan/simulate';

let device;
const subject = {
  async start({ baseUrl, key }, tell) {
    device = Device.connect(baseUrl, {
      key,
      onEvent(event) {
        if (event.event === 'door-open') tell({ door: 'open', relay: event.relay });
        if (event.event === 'door-closed') tell({ door: 'closed' });
        if (event.event === 'granted' || event.event === 'denied')
          tell({ display: { name: event.name, note: event.note } });
      },
    });
  },
  async present(code) {
    await device.scan(code);
  },
  async close() {
    device.close();
  },
};

const result = await checkDevice({
  kind: 'device',
  subject,
  reactionMs: 100,
  only: ['4.6/device-opens-on-grant', '7.3/device-shut-on-denial', '7.3/device-shows-note'],
});
console.log(`${result.totals.passed} of ${listDeviceCases('device').length} cases passed`);
console.log(`exit ${exitCodeOf(result)}`);
