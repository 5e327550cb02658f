import { TICKETS } from '../ticket-row.ts';
import type { Column, ColumnType, OwnColumn } from './columns.ts';
import { type Table, writtenColumns } from './rows.ts';
import {
  ADMINISTRATIVE_RECORDS,
  ANSWERS,
  AUDIT_LOG,
  COUNTS,
  DEVICES,
  ERASED_REFERENCES,
  EVENTS,
  LOG,
  OCCUPANCY,
  ORGANISATIONS,
  REQUESTS,
  SITE_CHANGES,
  STORED_KEYS,
  UNDONE_USES,
} from './tables.ts';

/** The SQL that differs between engines in the definition of a table. */
export interface TableWords {
  readonly types: Readonly<Record<ColumnType, string>>;
  readonly own: Readonly<Record<OwnColumn, string>>;
  /** The SQL for names in `Table.keys`: the column of a key, the column of a shard if rows have shards, and the words that make a row unique. */
  readonly key: string;
  readonly shard: string;
  readonly unique: string;
  /** The columns or keys that only this engine has, by table. */
  readonly more: Readonly<Record<string, readonly string[]>>;
  /** The SQL after the columns; `plain` is for a table without `end`. */
  readonly ends: Readonly<Record<NonNullable<Table<unknown>['end']> | 'plain', string>>;
  /** The tables that only this engine has. */
  readonly tables: string;
}

function definitionOf(words: TableWords, { own, name, type, isNullable, rule }: Column): string {
  if (own !== undefined) return words.own[own];
  const rest = [isNullable ? '' : ' NOT NULL', rule === undefined ? '' : ` ${rule}`];
  return `${name} ${words.types[type]}${rest.join('')}`;
}

function created<Item>(words: TableWords, table: Table<Item>): string {
  const columns: readonly Column[] = [...writtenColumns(table.columns), ...(table.others ?? [])];
  const keys = table.keys?.replaceAll(
    /\{(key|shard|unique)\}/g,
    (_, hole: 'key' | 'shard' | 'unique') => words[hole],
  );
  const lines = [
    ...columns.map((column) => definitionOf(words, column)),
    ...(words.more[table.table] ?? []),
    ...(keys === undefined ? [] : [keys]),
  ];
  const end = words.ends[table.end ?? 'plain'];
  return `CREATE TABLE ${table.table} (\n    ${lines.join(',\n    ')}\n  )${end};`;
}

/** The statements that create the tables of a database, with those of the engine before the log. */
export function tablesWith(words: TableWords): string {
  const create = <Item>(table: Table<Item>) => created(words, table);
  const { id, text, bigint, integer } = words.types;
  return `
  CREATE TABLE write_check (only_row ${integer} PRIMARY KEY CHECK (only_row = 1), number ${bigint} NOT NULL)${words.ends.plain};
  INSERT INTO write_check VALUES (1, 0);

  ${create(ORGANISATIONS)}
  ${create(EVENTS)}
  ${create(STORED_KEYS)}
  CREATE TABLE api_key_event (
    key_id ${id} NOT NULL REFERENCES api_key (id),
    event_id ${id} NOT NULL REFERENCES event (id),
    PRIMARY KEY (key_id, event_id)
  )${words.ends.inOrder};
  ${create(REQUESTS)}
  ${create(DEVICES)}
  ${create(TICKETS)}
  CREATE INDEX ticket_reference ON ticket (reference, ordinal) WHERE reference IS NOT NULL;
  CREATE INDEX ticket_reference_event ON ticket (reference, id) WHERE reference IS NOT NULL;
  ${create(ERASED_REFERENCES)}
  ${words.tables}
  ${create(LOG)}
  ${create(UNDONE_USES)}
  ${create(COUNTS)}
  ${create(OCCUPANCY)}
  ${create(ANSWERS)}
  CREATE INDEX stored_answer_expires_at ON stored_answer (expires_at);
  CREATE TABLE unfinished_copy (only_row ${integer} PRIMARY KEY CHECK (only_row = 1), note ${text} NOT NULL)${words.ends.plain};
  ${create(ADMINISTRATIVE_RECORDS)}
  ${create(AUDIT_LOG)}
  CREATE INDEX audit_log_organisation ON audit_log (organisation_id, sequence);
  ${create(SITE_CHANGES)}
  CREATE INDEX site_change_event ON site_change (event_id, sequence);
  CREATE INDEX site_change_ticket ON site_change (ticket_id, sequence);
`;
}
