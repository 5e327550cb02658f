import type { Command, Option } from 'commander';

/** Shows defaults and choices in one style on every page of help: `(default: 8080)`, without quotes and empty lists. */
export function styleHelp(command: Command): void {
  command.configureHelp({ optionDescription });
  for (const child of command.commands) styleHelp(child);
}

function optionDescription({
  description,
  argChoices,
  defaultValue,
  defaultValueDescription,
}: Option): string {
  const fallback = defaultValueDescription ?? textOf(defaultValue);
  const extra = [
    ...(argChoices ? [`choices: ${argChoices.join(', ')}`] : []),
    ...(fallback === '' ? [] : [`default: ${fallback}`]),
  ];
  return extra.length > 0 ? `${description} (${extra.join('; ')})` : description;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
