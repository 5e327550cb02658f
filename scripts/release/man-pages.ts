import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Help, Option } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { VERSION } from '../../src/kit/version.ts';
import { processIo } from '../../src/terminal/io.ts';
import { bold, definitions, freeText, roffText, term } from './roff.ts';

/**
 * Writes `ticketscan.1` and a page for each command into `folder`, from the options and texts of the commands themselves.
 * @param date on the pages, such as 2027-03-01; the same date gives the same bytes
 * @returns the names of the files
 */
export async function writeManPages(folder: string, date: string): Promise<string[]> {
  const program = await buildProgram(processIo(), () => true);
  const pages = new Map([['ticketscan', mainPage(program)]]);
  for (const command of program.commands) {
    pages.set(`ticketscan-${command.name()}`, commandPage(command));
  }
  mkdirSync(folder, { recursive: true });
  return [...pages].map(([name, lines]) => {
    const head = `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 ${date} "ticketscan ${VERSION}" "User Commands"`;
    const isEmpty = (line: string, at: number) =>
      line === '.PP' && /^\.S[HS]/.test(lines[at - 1] ?? '');
    const text = [head, ...lines.filter((line, at) => !isEmpty(line, at))].join('\n');
    writeFileSync(join(folder, `${name}.1`), `${text}\n`);
    return `${name}.1`;
  });
}

function mainPage(program: Command): string[] {
  const { commands } = program;
  return [
    ...nameSection(
      'ticketscan',
      'scan service for QR tickets, its tickets, a simulator and a checker',
    ),
    '.SH SYNOPSIS',
    `${bold('ticketscan')} \\fIcommand\\fR [\\fIoptions\\fR]`,
    '.SH DESCRIPTION',
    roffText(program.description()),
    '.SH COMMANDS',
    ...definitions(commands.map((one) => [pageOf(one), one.summary()])),
    ...optionSections(program),
    ...afterHelp(program),
    '.SH ENVIRONMENT',
    'The option of a command comes before the environment, the environment before the configuration file.',
    ...definitions(
      SETTINGS.map(({ environment, description }) => [bold(environment), description]),
    ),
    '.SH FILES',
    ...definitions([
      [bold('ticketscan.config.json'), 'Configuration file, in the working folder.'],
    ]),
    '.SH SEE ALSO',
    commands.map(pageOf).join(',\n'),
  ];
}

function commandPage(command: Command): string[] {
  const children = command.commands;
  const callable = children.length === 0 || command.registeredArguments.length > 0;
  return [
    ...nameSection(`ticketscan-${command.name()}`, command.summary()),
    '.SH SYNOPSIS',
    ...(callable ? ['.PP', synopsis(command)] : []),
    ...children.flatMap((child) => ['.PP', synopsis(child)]),
    '.SH DESCRIPTION',
    roffText(command.description()),
    ...argumentSection(command, '.SH ARGUMENTS'),
    ...optionSections(command),
    ...(children.length > 0 ? ['.SH COMMANDS', ...children.flatMap(childSections)] : []),
    ...afterHelp(command),
    '.SH SEE ALSO',
    `${bold('ticketscan')}(1)`,
  ];
}

function nameSection(name: string, summary: string): string[] {
  return ['.SH NAME', `${roffText(name)} \\- ${roffText(summary)}`];
}

/** A subcommand, with its own subcommands. */
function childSections(command: Command): string[] {
  const help = command.createHelp();
  return [
    `.SS "${pathOf(command).replace(/^ticketscan /, '')}"`,
    roffText(command.description()),
    ...argumentSection(command, '.PP'),
    ...optionsAsList(help, help.visibleOptions(command)),
    ...command.commands.flatMap(childSections),
  ];
}

function argumentSection(command: Command, heading: string): string[] {
  const help = command.createHelp();
  const rows = help
    .visibleArguments(command)
    .map((one) => [`\\fI${roffText(one.name())}\\fR`, help.argumentDescription(one)] as const);
  return rows.length === 0 ? [] : [...(heading === '.PP' ? [] : [heading]), ...definitions(rows)];
}

/** The options under the headings that the help gives them. */
function optionSections(command: Command): string[] {
  const help = command.createHelp();
  const groups = Map.groupBy(help.visibleOptions(command), (one) => one.helpGroupHeading ?? '');
  return [
    '.SH OPTIONS',
    ...[...groups].flatMap(([heading, options]) => [
      ...(heading === '' ? [] : [`.SS "${roffText(heading.replace(/:$/, ''))}"`]),
      ...optionsAsList(help, options),
    ]),
  ];
}

function optionsAsList(help: Help, options: readonly Option[]): string[] {
  return definitions(
    options.map((one) => [term(help.optionTerm(one)), help.optionDescription(one)]),
  );
}

function synopsis(command: Command): string {
  return `${bold(pathOf(command))} ${term(command.usage()).replaceAll('\\fB \\fR', ' ')}`;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function pageOf(command: Command): string {
  return `${bold(`ticketscan-${command.name()}`)}(1)`;
}

/** What `--help` shows below the options. */
function afterHelp(command: Command): string[] {
  let shown = '';
  command.configureOutput({
    writeOut: (text) => {
      shown += text;
    },
  });
  command.outputHelp();
  return freeText(shown.slice(command.helpInformation().length));
}
