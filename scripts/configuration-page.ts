import { SETTINGS } from '../src/config/settings.ts';

/** docs/gate/configuration.md, from the one list of settings. */
export function configurationPage(): string {
  const rows = SETTINGS.map(({ name, flag, environment, fallback, description }) => {
    const standard = fallback === undefined ? '' : `\`${fallback}\``;
    return `| \`${flag}\` | \`${environment}\` | \`${name}\` | ${standard} | ${description} |`;
  });
  return `# Configuration

ticketscan reads a setting from its option, then from the environment, then from the configuration file, and otherwise uses the default. The
file is \`ticketscan.config.json\` in the working folder, or the file that \`--config\` or \`TICKETSCAN_CONFIG\` names: a JSON object
such as \`{"port": 9000, "logLevel": "warn"}\`. Not every command has every setting; \`--help\` lists the settings of a command.
A file that belongs to another user than yours and root, or that others may write, is refused. Commands say in one line which file they read, but not with \`--json\`.
\`ticketscan config show\` lists every setting with its value here and the place that sets it, without passwords and tokens.

| option | environment | in the file | default | meaning |
|---|---|---|---|---|
${rows.join('\n')}

\`NO_COLOR\` switches colours off. With \`TICKETSCAN_DEBUG\` an internal error shows where it happened. Wherever a command takes a ticket,
\`env:NAME\` and \`file:PATH\` read its code from the environment or from a file.
`;
}
