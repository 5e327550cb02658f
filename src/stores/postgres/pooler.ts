import pg, { type ClientBase, type QueryConfig, type QueryResult } from 'pg';
import { inOneWrite } from './statement-values.ts';

/** Settings of the server for one connection: values by name. */
export type ServerSettings = Readonly<Record<string, string>>;

/** The settings in the URL's `options`, and the rest of the options, which the server gets as they are. */
export interface ServerOptions {
  readonly settings: ServerSettings;
  readonly others: string;
}

/** Reads `-c NAME=VALUE`, `-cNAME=VALUE` and `--NAME=VALUE`; a blank inside a value is written after a backslash. */
export function readOptions(text: string): ServerOptions {
  const settings: Record<string, string> = {};
  const others: string[] = [];
  const words = text.match(/(?:\\.|[^\s\\])+/gs) ?? [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const joined = word === '-c' ? `-c${words[at + 1] ?? ''}` : word;
    const { name, value } = SETTING.exec(joined)?.groups ?? {};
    if (name === undefined || value === undefined) {
      others.push(word);
      continue;
    }
    if (word === '-c') at += 1;
    settings[name.replaceAll('-', '_')] = value.replace(/\\(.)/gs, '$1');
  }
  return { settings, others: others.join(' ') };
}

const SETTING = /^(?:-c|--)(?<name>[\w.-]+)=(?<value>.*)$/s;

/**
 * Sets the settings if the connection leads to the server itself. A pooler gives each connection a process number of its own, so
 * the number differs from the server's. Through a pooler, the settings would apply to the next client of that server, and not to us.
 * The start-up message does not carry them, because PgBouncer refuses a setting that it does not know.
 */
const APPLY = `
  SELECT pid = $1::bigint AS "isDirect",
    CASE WHEN pid = $1::bigint THEN (SELECT count(set_config(s.name, s.value, false)) FROM unnest($2::text[], $3::text[]) AS s (name, value)) END
  FROM pg_backend_pid() AS pid`;

/**
 * Keeps the plans of statements: there are few, they run all the time, and planning would cost as much as running. A server without this
 * setting works too.
 */
const KEEP_PLANS =
  "SELECT set_config('plan_cache_mode', 'force_generic_plan', false) WHERE pg_backend_pid() = $1";

/**
 * Applies `settings` to all statements on this new connection.
 * @returns whether a pooler is in between; then nothing relies on the session, see `keepToTransactions`
 */
export async function applySettings(
  client: ClientBase,
  settings: ServerSettings,
  timeoutMs: number,
): Promise<boolean> {
  const { processID } = client as ClientBase & { readonly processID: number | null };
  const ask = (text: string, values: unknown[]) => {
    const query = { text, values, query_timeout: timeoutMs };
    return client.query<{ isDirect: boolean | null }>(query);
  };
  const applied = ask(APPLY, [processID, Object.keys(settings), Object.values(settings)]);
  ask(KEEP_PLANS, [processID]).catch(() => {});
  const { rows } = await applied;
  if (rows[0]?.isDirect) return false;
  keepToTransactions(client, settings);
  return true;
}

type Ask = (query: QueryConfig) => Promise<QueryResult>;

/**
 * Makes a connection through a pooler rely on nothing that outlives a transaction: a pooler may give each transaction another
 * server, which knows neither the prepared statements nor the settings. So statements lose their names, each transaction
 * begins with the settings, and a statement outside a transaction gets its own one if there are settings.
 */
function keepToTransactions(client: ClientBase, settings: ServerSettings): void {
  const send = client.query.bind(client) as unknown as Ask;
  const begun = (begin: string) => [begin, ...settingStatements(settings)].join('; ');
  let isInTransaction = false;

  const alone: Ask = async (query) => {
    const [began, answered, ended] = await inOneWrite(client, () =>
      Promise.allSettled([send({ text: begun('BEGIN') }), send(query), send({ text: 'COMMIT' })]),
    );
    for (const part of [began, answered, ended]) {
      if (part.status === 'rejected') throw part.reason;
    }
    return (answered as PromiseFulfilledResult<QueryResult>).value;
  };

  const ask = (given: string | QueryConfig, values?: unknown[]): Promise<QueryResult> => {
    const query = typeof given === 'string' ? { text: given, ...(values && { values }) } : given;
    const { name: _, ...unnamed } = query;
    const [word] = /^(?:BEGIN|COMMIT|ROLLBACK)\b/.exec(query.text) ?? [];
    if (word !== undefined) {
      isInTransaction = word === 'BEGIN';
      return send(isInTransaction ? { text: begun(query.text) } : unnamed);
    }
    const needsOwn = !isInTransaction && Object.keys(settings).length > 0;
    return needsOwn ? alone(unnamed) : send(unnamed);
  };
  client.query = ask as ClientBase['query'];
}

function settingStatements(settings: ServerSettings): string[] {
  return Object.entries(settings).map(([name, value]) => {
    const literals = [name, value].map((text) => pg.escapeLiteral(text)).join(', ');
    return `SELECT set_config(${literals}, true)`;
  });
}
