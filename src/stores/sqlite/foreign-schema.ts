import { DatabaseSync } from 'node:sqlite';
import { MIGRATIONS } from './migrations.ts';

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

/**
 * Finds a trigger or a view that no store has, because it would act by itself when the store is used. The database is opened for reading
 * only, so that none of it runs.
 * @returns its type and name; undefined for a store as this program makes it
 */
export function foreignSchemaOf(path: string): string | undefined {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const active = "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')";
    const rows = database.prepare(active).all() as unknown as SchemaRow[];
    const own = normalized(MIGRATIONS.join(' '));
    const foreign = rows.find(
      ({ type, sql }) => type === 'trigger' || !own.includes(normalized(sql ?? '')),
    );
    return foreign && `${foreign.type} "${foreign.name}"`;
  } catch {
    // Opening it as a store will say what is wrong with it.
    return undefined;
  } finally {
    database.close();
  }
}

function normalized(sql: string): string {
  return sql.replace(/\s+/g, ' ').trim();
}
