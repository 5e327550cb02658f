import { existsSync } from 'node:fs';
import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import { SHOP_NAMES, type ShopName } from '../../core/shop-names.ts';
import { fileFailure } from '../../kit/failures.ts';
import { readBoundedText } from '../../kit/files.ts';
import { readProgramFile } from '../../kit/program-files.ts';
import { type Position, readYaml } from '../../kit/yaml.ts';
import type { RowIssue } from '../../tickets/lists/row-issues.ts';
import { knowsMost, type ShopMap } from '../../tickets/lists/shop-map.ts';
import { NEW_TICKET_COLUMNS } from '../../tickets/lists/ticket-list.ts';

const { reference: _, ...COLUMNS } = NEW_TICKET_COLUMNS;
const Texts = z.array(z.string().trim().min(1).max(400)).max(200);
const ByHeading = z.record(z.string().trim().min(1).max(200), Texts);

/** A map as it is written, by us or by somebody else. */
const ShopMapSchema = z.strictObject({
  list: z.string().max(200).default(''),
  /** What the map rests on, for whoever changes it. */
  basis: Texts.default([]),
  columns: z
    .partialRecord(z.enum(Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]), Texts)
    .default({}),
  reference: z.array(Texts.min(1)).max(20).default([]),
  quantity: Texts.default([]),
  only: ByHeading.default({}),
  cancelled: ByHeading.default({}),
  ignored: Texts.default([]),
});

/** The map of a shop that comes with the program: one of `fixtures/shop-maps`, which the build copies. */
export function shopMapOf(name: ShopName): ShopMap {
  const text = readProgramFile(`assets/shop-${name}.json`)?.toString();
  if (text === undefined) throw new Error(`the program came without the map of ${name}`);
  return parseShopMap(text, name);
}

/** @param issues of a list that was read without a map. @returns the shop whose list it seems to be */
export function likelyShop(issues: readonly RowIssue[]): ShopName | undefined {
  // A column that nobody knows is one for which something is suggested.
  const unknown = issues.flatMap(({ suggestion, column }) =>
    suggestion !== undefined && column !== null ? [column] : [],
  );
  return SHOP_NAMES.find((name) => knowsMost(shopMapOf(name), unknown));
}

/** A map by its name or in a file. A file of the name comes first. @throws TicketscanError `usage` that says what is wrong, and where */
export function findShopMap(nameOrFile: string): ShopMap {
  const name = SHOP_NAMES.find((one) => one === nameOrFile);
  if (name !== undefined && !existsSync(nameOrFile)) return shopMapOf(name);
  try {
    return parseShopMap(readBoundedText(nameOrFile), nameOrFile);
  } catch (error) {
    if (error instanceof TicketscanError) throw error;
    throw new TicketscanError(
      'usage',
      `--map: ${nameOrFile} cannot be read: ${fileFailure(error)}. These come with ticketscan: ${SHOP_NAMES.join(', ')}.`,
    );
  }
}

function parseShopMap(text: string, place: string): ShopMap {
  const yaml = readYaml(text);
  const refuse = ({ line, column }: Position, what: string) =>
    new TicketscanError(
      'usage',
      `--map: ${place}:${line}:${column}: ${what}. See ticketscan docs tickets.`,
    );
  if (yaml.issue) throw refuse(yaml.issue, yaml.issue.what);
  const read = ShopMapSchema.safeParse(yaml.value(0));
  if (read.success) return { ...read.data, columns: present(read.data.columns) };
  const [issue] = read.error.issues;
  const path = issue?.path ?? [];
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    const known = Object.keys(ShopMapSchema.shape).join(', ');
    throw refuse(
      yaml.positionOfName([...path, name]),
      `"${name}" is unknown here. A map has ${known}`,
    );
  }
  throw refuse(yaml.positionOf(path), `${path.join('.')}: ${issue?.message}`);
}

function present(columns: Readonly<Record<string, readonly string[] | undefined>>) {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([name, headings]) => (headings ? [[name, headings]] : [])),
  );
}
