import { ScanClient, ScanError } from 'ticketscan/client';

// The key comes from the environment of your server: never put it into a page or an app.
const { SCAN_URL, SCAN_KEY } = process.env;
if (!SCAN_URL || !SCAN_KEY) {
  console.error('Set SCAN_URL to the address of the server and SCAN_KEY to a key of the type api.');
  process.exit(2);
}
await using client = new ScanClient({ baseUrl: SCAN_URL, apiKey: SCAN_KEY });

for (const code of process.argv.slice(2)) {
  try {
    const result = await client.consume(code);
    if (result.valid) console.log(`open: use ${result.usesConsumed} of ${result.usesAllowed}`);
    else console.log(`stay closed: ${result.message}`);
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    console.log(`stay closed, use taken: ${error.useTaken} (${error.code})`);
  }
}
