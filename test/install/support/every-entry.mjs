import { mintTickets, openKeyring, renderQr, verifyCode } from 'ticketscan';
import { check } from 'ticketscan/check';
import { ScanClient } from 'ticketscan/client';
import { Device } from 'ticketscan/simulate';
import { connectTicketscan, startTicketscan } from 'ticketscan/testing';

// Uses each entry of the installed package, and prints what came of it.
const [, , event, keyringFile] = process.argv;

const keyring = openKeyring(keyringFile);
const [minted] = await mintTickets({ event, keyring, store: 'sqlite:./ticketscan.db' });
const { ticketId } = verifyCode(minted.code, keyring);
const image = renderQr(minted.code, { format: 'png' });

const service = await startTicketscan({ seed: 'all-states' });
const { url, keys } = service;
const client = new ScanClient({ baseUrl: url, apiKey: keys.rest });
const consumed = await client.consume(service.ticket('single'));
const device = Device.connect(url, { key: keys.hardware, model: 'access-controller' });
const { result } = await device.scan(service.ticket('multi'));
const checked = await check({
  baseUrl: url,
  target: { keys: { rest: keys.rest, deleted: keys.deleted } },
  only: ['7.2/body-of-401@validate'],
});
const again = await connectTicketscan(url, { testToken: service.testToken });
const requests = await again.requests({ endpoint: '/scan/hw/consume' });

await again.close();
await device.close();
await client.close();
await service.close();
console.log(
  JSON.stringify({
    minted: minted.ticketId === ticketId,
    image: image.subarray(1, 4).toString(),
    client: consumed.status,
    device: result,
    check: checked.verdict,
    failed: checked.totals.failed,
    requests: requests.length,
  }),
);
