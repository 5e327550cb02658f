import { SETTINGS } from '../src/config/settings.ts';

/** docs/configuration.md, from the one list of settings. */
export function configurationPage(): string {
  const rows = SETTINGS.map(({ name, flag, environment, fallback, description }) => {
    const standard = fallback === undefined ? '' : `\`${fallback}\``;
    return `| \`${flag}\` | \`${environment}\` | \`${name}\` | ${standard} | ${description} |`;
  });
  return `# Configuration

A setting comes from its option, else from the environment, else from the configuration file, else its default holds. The
file is \`ticketscan.config.json\` in the working folder, or what \`--config\` or \`TICKETSCAN_CONFIG\` names: a JSON object
such as \`{"port": 9000, "logLevel": "warn"}\`. Not every command takes every setting; its \`--help\` lists those it takes.

| option | environment | in the file | default | meaning |
|---|---|---|---|---|
${rows.join('\n')}

\`NO_COLOR\` switches colours off. With \`TICKETSCAN_DEBUG\` an internal fault shows where it happened. Wherever a ticket is named on
the command line, \`env:NAME\` and \`file:PATH\` take its code from the environment or from a file.
`;
}
