import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FOLDER = 'src/dashboard/';
const DIALOGS =
  /<(ChangeModal|FormModal|Confirm|PlainModal|ShownOnce|ConfirmButton|RowConfirm|Modal)\b/gu;
/** Asks once more, and always begins on the button that changes nothing. */
const QUESTIONS: ReadonlySet<string> = new Set(['Confirm', 'ConfirmButton', 'RowConfirm']);

/**
 * Where each dialogue of the page begins, by file and component: on the button that changes nothing, or in its content. A new one is
 * added here with the thought which of the two it is.
 */
const BEGINS: Readonly<Record<string, readonly ('harmless' | 'content')[]>> = {
  'pages/accounts.tsx AccountActions': ['harmless'],
  'pages/accounts.tsx CreateAccount': ['content'],
  'pages/accounts.tsx EditAccount': ['content'],
  'pages/accounts.tsx CreateToken': ['content', 'content'],
  'pages/accounts.tsx TokenList': ['harmless'],
  'pages/devices.tsx useColumns': ['harmless'],
  'pages/key-details.tsx KeyDetails': ['content'],
  'pages/privacy-report.tsx ReportDialog': ['content'],
  'pages/devices.tsx PairPhone': ['content'],
  'pages/devices.tsx OpenPairing': ['content', 'content'],
  'pages/devices.tsx Comparison': ['content'],
  'pages/devices.tsx NameDevice': ['content'],
  'pages/event-home.tsx ChooseHome': ['content'],
  'pages/events.tsx EventForm': ['content'],
  'pages/events.tsx DeleteUnused': ['harmless'],
  'pages/events.tsx DeleteWithTickets': ['harmless'],
  'pages/import-tickets.tsx ImportTickets': ['content'],
  'pages/key-values.tsx CreatedKeyModal': ['content'],
  'pages/key-values.tsx RotateKey': ['content', 'harmless'],
  'pages/keys.tsx KeyActions': ['harmless'],
  'pages/keys.tsx DeleteKey': ['harmless'],
  'pages/keys.tsx CreateKey': ['content'],
  'pages/keys.tsx EditKey': ['content'],
  'pages/many-tickets.tsx BulkActions': ['harmless'],
  'pages/many-tickets.tsx ChangeMany': ['harmless'],
  'pages/many-tickets.tsx EraseHolders': ['harmless'],
  'pages/many-tickets.tsx AfterErasing': ['content'],
  'pages/new-tickets.tsx CreateTickets': ['content'],
  'pages/new-tickets.tsx CreatedTickets': ['content'],
  'pages/overview.tsx ResetInside': ['harmless'],
  'pages/sites.tsx BringBack': ['harmless'],
  'pages/sites.tsx GiveEvent': ['content'],
  'pages/sites.tsx RetireSite': ['harmless'],
  'pages/sites.tsx FreeSite': ['harmless'],
  'pages/sites.tsx CreateSite': ['content'],
  'pages/sites.tsx CreatedSiteModal': ['content'],
  'pages/ticket.tsx TicketActions': ['harmless'],
  // A second look, which begins on the button that goes back.
  'pages/ticket.tsx LetIn': ['content'],
  'pages/ticket.tsx ReplaceTicket': ['harmless'],
  'pages/ticket.tsx DeleteTicket': ['harmless'],
  'pages/ticket.tsx EditTicket': ['content'],
  'pages/ticket.tsx UndoUse': ['content'],
  'pages/webhooks.tsx WebhookActions': ['harmless'],
  'pages/webhooks.tsx NewSecret': ['content', 'content'],
  'pages/webhooks.tsx WebhookForm': ['content', 'content'],
};

interface Dialog {
  /** The file and the component that it is in. */
  readonly place: string;
  readonly begins: 'harmless' | 'content';
  readonly tag: string;
}

function dialogsOf(path: string): Dialog[] {
  const source = readFileSync(path, 'utf8');
  const file = path.slice(FOLDER.length);
  return [...source.matchAll(DIALOGS)].map((found) => {
    const components = [...source.slice(0, found.index).matchAll(/^(?:export )?function (\w+)/gmu)];
    const tag = tagAt(source, found.index);
    const isHarmless = QUESTIONS.has(found[1] ?? '') || /\bdanger\b/u.test(tag);
    const begins = isHarmless ? 'harmless' : 'content';
    return { place: `${file} ${components.at(-1)?.[1]}`, begins, tag };
  });
}

/** An opening tag with its attributes. */
function tagAt(source: string, from: number): string {
  let depth = 0;
  for (let end = from; end < source.length; end += 1) {
    if (source[end] === '{') depth += 1;
    if (source[end] === '}') depth -= 1;
    if (source[end] === '>' && depth === 0) return source.slice(from, end);
  }
  return source.slice(from);
}

const files = globSync(`${FOLDER}**/*.tsx`).filter(
  (path) => !path.endsWith('components/dialogs.tsx'),
);
const dialogs = files.flatMap(dialogsOf);

test('every dialogue is listed with where it begins', () => {
  const found: Record<string, string[]> = {};
  for (const { place, begins } of dialogs) found[place] = [...(found[place] ?? []), begins];
  expect(found).toEqual(BEGINS);
});

test('what cannot be taken back begins on the button that changes nothing', () => {
  const dangerous = dialogs.filter(({ tag }) =>
    /route=\{?["'`](DELETE |POST \/tickets\/(cancel|erase))/u.test(tag),
  );
  expect(dangerous.length).toBeGreaterThan(5);
  expect(dangerous.filter(({ begins }) => begins !== 'harmless')).toEqual([]);
});
