// A gate that `ticketscan check device --client --run "node judged-gate.js"` judges: codes come as lines of JSON, and it prints what it does.
import { createInterface } from 'node:readline';
import { ScanClient, ScanError } from 'ticketscan/client';

const { TICKETSCAN_URL, TICKETSCAN_KEY } = process.env;
if (!TICKETSCAN_URL || !TICKETSCAN_KEY) {
  console.error('Set TICKETSCAN_URL and TICKETSCAN_KEY: check device --client gives them.');
  process.exit(2);
}
await using client = new ScanClient({
  baseUrl: TICKETSCAN_URL,
  apiKey: TICKETSCAN_KEY,
  timeoutMs: 1000,
  totalTimeoutMs: 4000,
});
const tell = (line) => console.log(JSON.stringify(line));

tell({ tells: ['door', 'display'] });
for await (const line of createInterface({ input: process.stdin })) {
  try {
    const result = await client.consume(JSON.parse(line).present);
    tell({ display: { note: result.message } });
    if (result.valid) tell({ door: 'open' });
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    tell({ display: { note: 'No answer. Please ask the staff.' } });
  }
  tell({ done: true });
}
