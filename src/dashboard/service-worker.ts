/**
 * Answers in place of the browser's error page when there is no line: the frame of the page then says so in its own words. It keeps only
 * the files of the page, which are the same for everybody. Every document comes from the server while that answers, so a new version is
 * shown with its first load. Requests of the API, exports and everything else pass it by.
 */

/** What the types of the browser's windows lack. */
interface WorkEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface RequestEvent extends WorkEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface ServiceWorker extends EventTarget {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
}

// The build writes these (scripts/dashboard-shell.ts).
/** Another one for each build of the page. */
declare const VERSION: string;
/** The files that the frame and the scan page need, from the folder of the page. */
declare const FILES: readonly string[];
/** The addresses of the pages; `:id` stands for any segment. */
declare const PAGES: readonly string[];

const worker = globalThis as unknown as ServiceWorker;
const scope = new URL(worker.registration.scope);
/** A proxy may serve several programs below one address. */
const OWN = `ticketscan ${scope.pathname} `;
const cacheName = OWN + VERSION;

/** A server that has not answered by then is as good as none. */
const ANSWER_MS_MAX = 15_000;
/** What a proxy says when the server behind it does not answer. */
const NO_SERVER: ReadonlySet<number> = new Set([502, 503, 504]);

worker.addEventListener('install', (event) => {
  (event as WorkEvent).waitUntil(install());
});
worker.addEventListener('activate', (event) => {
  (event as WorkEvent).waitUntil(dropOthers());
});
worker.addEventListener('fetch', (event) => {
  const { request } = event as RequestEvent;
  const answer = request.method === 'GET' ? answerTo(request) : undefined;
  if (answer !== undefined) (event as RequestEvent).respondWith(answer);
});

async function install(): Promise<void> {
  const cache = await caches.open(cacheName);
  const documents = shellPages().map(
    (page) => new Request(new URL(page, scope), { cache: 'reload' }),
  );
  await cache.addAll([...FILES.map((file) => new URL(file, scope).href), ...documents]);
  await worker.skipWaiting();
}

/** Forgets what earlier versions kept. */
async function dropOthers(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(OWN) && name !== cacheName);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** @returns undefined for what it leaves to the browser */
function answerTo(request: Request): Promise<Response> | undefined {
  const url = new URL(request.url);
  if (url.origin !== scope.origin || !url.pathname.startsWith(scope.pathname)) return undefined;
  const path = url.pathname.slice(scope.pathname.length);
  if (request.mode === 'navigate') {
    const page = shellPageOf(path);
    return page === undefined ? undefined : documentFor(request, page);
  }
  return FILES.includes(path) ? fileFor(request) : undefined;
}

/** Documents are the same but for their way up to the files: one of each depth is kept. */
function shellPages(): string[] {
  return [...new Set(PAGES.map(depthOf))].flatMap(
    (depth) => PAGES.find((page) => !page.includes(':') && depthOf(page) === depth)?.slice(1) ?? [],
  );
}

/** The kept document that stands for a page; undefined where the address is of no page. */
function shellPageOf(path: string): string | undefined {
  const segments = `/${path}`.split('/');
  const isPage = PAGES.some((page) => {
    const own = page.split('/');
    return (
      own.length === segments.length &&
      own.every((one, index) => one.startsWith(':') || one === segments[index])
    );
  });
  return isPage
    ? shellPages().find((page) => depthOf(`/${page}`) === depthOf(`/${path}`))
    : undefined;
}

function depthOf(page: string): number {
  return page.split('/').length;
}

async function documentFor(request: Request, page: string): Promise<Response> {
  const answer = await Promise.race([fetch(request).catch(() => undefined), tooLate()]);
  if (answer && !NO_SERVER.has(answer.status)) return answer;
  return (await kept(new URL(page, scope).href)) ?? answer ?? Response.error();
}

function tooLate(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ANSWER_MS_MAX);
  });
}

/** The name of a file changes with its content: a kept one is never old. */
async function fileFor(request: Request): Promise<Response> {
  return (await kept(request.url)) ?? fetch(request);
}

async function kept(url: string): Promise<Response | undefined> {
  const cache = await caches.open(cacheName);
  return cache.match(url, { ignoreVary: true });
}
