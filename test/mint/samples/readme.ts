import { type Expected, SAMPLES } from './samples.ts';

/** The page that explains the samples. */
export function readme(): string {
  const rows = SAMPLES.map(
    ({ file, shows, decoded }) => `| \`${file}\` | ${shows} | ${decoded.map(inWords).join('; ')} |`,
  );
  return `# Sample tickets

Tickets as images, good ones and bad ones, to try a reader or a gate with. Keys and tickets are invented; no store has them. Where the npm package is
installed, this folder is \`node_modules/ticketscan/fixtures/tickets\`.

\`\`\`sh
install -m 600 fixtures/tickets/keyring.json sample-keyring.json   # a keyring that others can read is refused
npx ticketscan decode fixtures/tickets fixtures/tickets/genuine.txt --keyring sample-keyring.json
npx ticketscan decode fixtures/tickets/offline.png --public-key fixtures/tickets/public-keys.json
\`\`\`

\`expected.json\` has what \`decode --json\` must say of each file. \`node test/mint/samples/write-samples.ts\` writes this folder in a
checkout; a test compares the pictures with it.

| file | shows | \`decode\` says |
|---|---|---|
${rows.join('\n')}

None of the bad ones opens a gate: a scan of their codes answers \`invalid_ticket\`. A scan of a genuine one answers \`not_found\` where its ticket was
not imported.
`;
}

function inWords({ verified, format, signingKey, code, problem }: Expected): string {
  if (verified) return `genuine ${format} by ${signingKey}`;
  return code === null ? (problem ?? '') : 'NOT GENUINE';
}
