import type { IncomingMessage } from 'node:http';
import type { Language } from '../../core/scan-batch.ts';
import { PAGE_HEADERS } from '../../operations/http/answers.ts';
import type { MissingPage } from '../../scan/http/app.ts';
import { preferredLanguage } from '../../scan/http/scan-result.ts';
import { readPageDocument, relativeTo } from './page-files.ts';

const TEXTS: Readonly<Record<Language, { title: string; text: string; back: string }>> = {
  de: {
    title: 'Seite nicht gefunden',
    text: 'Unter dieser Adresse gibt es keine Seite.',
    back: 'Zur Startseite',
  },
  en: {
    title: 'Page not found',
    text: 'There is no page at this address.',
    back: 'Go to the start page',
  },
};

/** What is below these is for programs and devices. */
const FOR_PROGRAMS = /^\/*(?:admin|scan|devices|_test)\/+[^/]/i;
/** Nobody types a deeper path, and the page repeats its way up. */
const LEVELS_MAX = 50;

/**
 * The page for an address that leads nowhere, with the look of the dashboard and a way back to it. It needs no script.
 * @returns undefined without a build of the dashboard, which it leads to
 */
export function missingPage(): MissingPage | undefined {
  const html = readPageDocument();
  if (!html) return undefined;
  const documents = { de: documentIn('de', html), en: documentIn('en', html) };
  const headers = {
    ...PAGE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  };
  return (request) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (!wantsPage(request) || FOR_PROGRAMS.test(decoded(path))) return undefined;
    if (path.split('/').length > LEVELS_MAX) return undefined;
    const document = documents[preferredLanguage(request.headers['accept-language'])];
    return { headers, document: relativeTo(path, document) };
  };
}

/** The dashboard's document without its program. */
function documentIn(language: Language, html: string): string {
  const { title, text, back } = TEXTS[language];
  const main = `<main class="alone"><h1>${title}</h1><p>${text}</p><p><a href="./">${back}</a></p></main>`;
  return html
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace(/<title>[^<]*/, `<title>${title} – ticketscan`)
    .replaceAll(/<script\b[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g, '')
    .replace(/<body>.*<\/body>/s, `<body>${main}</body>`);
}

/** Programs that take anything get the answer for programs. */
function wantsPage({ method, headers }: IncomingMessage): boolean {
  const ranges = (headers.accept ?? '').toLowerCase().split(',');
  return method === 'GET' && ranges.some(namesHtml);
}

function namesHtml(range: string): boolean {
  const [type, ...parameters] = range.split(';').map((part) => part.trim());
  return type === 'text/html' && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
