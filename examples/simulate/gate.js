import { writeFileSync } from 'node:fs';
import { renderQr } from 'ticketscan';
import {
  Device,
  FAULT_KINDS,
  Fleet,
  readCardFile,
  readImage,
  SimulateError,
} from 'ticketscan/simulate';
import { startTicketscan } from 'ticketscan/testing';

await using service = await startTicketscan({ seed: 'all-states' });
const { hardware: key } = service.keys;

// One device, and a ticket that it reads from an image.
const code = service.ticket('single');
writeFileSync('ticket.png', renderQr(code, { format: 'png' }));
console.log(`the image holds the code: ${(await readImage('ticket.png')).code === code}`);
await using device = Device.connect(service.url, { key, antiRepeatMs: 0 });
console.log((await device.scanImage('ticket.png'))?.result, device.relay);

// A fleet with every fault that there is, on the tickets of a file.
writeFileSync('cards.txt', `${service.tickets.multi.join('\n')}\n`);
const { cards } = await readCardFile('cards.txt');
const faults = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, 0.01]));
const { summary } = await Fleet.run(service.url, {
  ...{ key, cards, faults, devices: 5, rate: 20, seed: '7' },
  device: { waitTime: 5 },
  durationMs: 2000,
});
console.log(`${summary.scans > 0 ? 'a fleet scanned' : 'nobody came'}`);

try {
  Device.connect('gate', { key });
} catch (error) {
  if (!(error instanceof SimulateError)) throw error;
  console.log(error.message);
}
