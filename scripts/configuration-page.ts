import { SETTINGS } from '../src/config/settings.ts';

/** docs/gate/configuration.md, from the one list of settings. */
export function configurationPage(): string {
  const rows = SETTINGS.map(({ name, flag, environment, fallback, description }) => {
    const standard = fallback === undefined ? '' : `\`${fallback}\``;
    return `| \`${flag}\` | \`${environment}\` | \`${name}\` | ${standard} | ${description} |`;
  });
  return `# Configuration

ticketscan reads a setting from its option. If the option is missing, it reads the environment, then the configuration file, and otherwise uses the default. The
configuration file is \`ticketscan.config.json\` in the working folder, or the file that you name with \`--config\` or \`TICKETSCAN_CONFIG\`. It is a JSON object
such as \`{"port": 9000, "logLevel": "warn"}\`. Not every command has every setting; \`--help\` lists the settings of a command.
The file must belong to you or root, and nobody else may write it. Otherwise it is refused. Each command says in one line which file it reads, but not with \`--json\`.
\`ticketscan config show\` lists every setting with its current value and the place that sets it, without passwords and tokens.

| option | environment | in the file | default | meaning |
|---|---|---|---|---|
${rows.join('\n')}

\`NO_COLOR\` switches colours off. With \`TICKETSCAN_DEBUG\`, an internal error shows where in the program it happened. Instead of a ticket you can
give every command \`env:NAME\` or \`file:PATH\`. It then reads the code from the environment or from a file.
`;
}
