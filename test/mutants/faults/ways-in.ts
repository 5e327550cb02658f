import { hash } from 'node:crypto';
import type { Endpoint } from '../../../src/check/index.ts';
import type { Incoming, Side } from '../reference/parts.ts';
import { type Alteration, pathOf } from '../reference/server.ts';
import type { Key, World } from '../reference/world.ts';
import {
  ENDPOINTS,
  type FaultyServer,
  faults,
  OPEN,
  remembering,
  showing,
  step,
  together,
} from './faulty-server.ts';
import { likeExpression } from './likenesses.ts';

const typeOn = (side: Side) => (side === 'rest' ? 'rest' : 'hardware');

/** A key of the store that is good on a side: the first one that fits. */
const goodKey = (world: World, side: Side, fits: (key: Key) => boolean = () => true) =>
  [...world.keys.values()].find(
    (key) => key.active && !key.isSpent && key.type === typeOn(side) && fits(key),
  );

/** Looks keys up otherwise than by their value. */
const lookedUp = (find: (given: string, world: World, side: Side) => Key | undefined) =>
  step(
    'acceptKey',
    ({ next, world }, given, side) =>
      next() ?? (given === undefined || given === '' ? undefined : find(given, world, side)),
  );

const like = (same: (known: string, given: string) => boolean) =>
  lookedUp((given, world, side) => goodKey(world, side, ({ value }) => same(value, given)));

const VALUES = faults('5', {
  'looks keys up by LIKE': showing(
    ['validate', 'consume', 'hw/validate', 'hw/consume'],
    like((known, given) => likeExpression(given).test(known)),
  ),
  'decodes a key once more, and looks it up by LIKE': showing(
    ['validate', 'heartbeat'],
    like(
      (known, given) => given === '%25' && likeExpression(decodeURIComponent(given)).test(known),
    ),
  ),
  'searches its cache of keys by a pattern with *': showing(
    ['validate', 'hw/consume', 'heartbeat'],
    like((known, given) => /^[^*]*\*$/.test(given) && known.startsWith(given.slice(0, -1))),
  ),
  'tests keys with an expression that the client sends': showing(
    ['validate', 'hw/validate'],
    like((known, given) => {
      try {
        return new RegExp(`^${given}$`).test(known);
      } catch {
        return false;
      }
    }),
  ),
  'puts keys into SQL': showing(
    ['consume', 'hw/consume', 'heartbeat'],
    lookedUp((given, world, side) => {
      const isInjected = /' OR ('1'='1$|1=1 --)/.test(given);
      return isInjected ? goodKey(world, side) : undefined;
    }),
  ),
  'answers 500 to a quote in a key': showing(
    ['consume', 'hw/consume', 'heartbeat'],
    lookedUp((given) => {
      if (given.includes("'")) throw new Error('syntax error at end of input');
      return undefined;
    }),
  ),
  'finds what every object has in its object of keys': showing(
    ['validate', 'hw/validate', 'hw/consume'],
    lookedUp((given, world, side) => (given in {} ? goodKey(world, side) : undefined)),
  ),
  'takes the word null for a key that it could not read': showing(
    ['validate', 'consume', 'hw/consume', 'heartbeat'],
    lookedUp((given, world, side) =>
      ['null', 'undefined'].includes(given) ? goodKey(world, side) : undefined,
    ),
  ),
  'has a key for tests': showing(
    ['validate', 'hw/consume'],
    lookedUp((given, world, side) => (given === 'test' ? goodKey(world, side) : undefined)),
  ),
  'takes the hash of a key, as its store keeps it': showing(
    ['validate', 'heartbeat'],
    like((known, given) => hash('sha256', known) === given),
  ),
  'decodes keys from Base64 where that gives one': showing(
    ['consume', 'hw/validate'],
    like((known, given) => Buffer.from(given, 'base64').toString() === known),
  ),
  'takes any word of the text for the key': showing(
    ENDPOINTS,
    like((known, given) => given.split(/[\s;]+/).includes(known)),
  ),
  'takes quotes off a key': showing(
    ['validate', 'hw/validate'],
    like((known, given) => given === `"${known}"`),
  ),
  'finds a key by its first half': showing(
    ['consume', 'heartbeat'],
    like(
      (known, given) =>
        given.length >= 10 && known.startsWith(given) && given !== known.slice(0, -1),
    ),
  ),
  'compares a key of a device up to U+0000': showing(
    ['hw/validate'],
    like((known, given) => given.split('\0')[0] === known),
  ),
  'reads operators in the query of a device': showing(
    ['hw/validate', 'hw/consume', 'heartbeat'],
    step('keyOf', ({ next, world }, { query }, side) => {
      const isOperator = [...query.keys()].some((name) => /^key\[\$\w+\]$/.test(name));
      return isOperator && side !== 'rest' ? goodKey(world, side)?.value : next();
    }),
  ),
  'asks only whether the query of a device has a key': showing(
    ['hw/validate', 'hw/consume'],
    step('keyOf', ({ next, world }, { query }, side) =>
      query.has('key[]') && side !== 'rest' ? goodKey(world, side)?.value : next(),
    ),
  ),
});

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Looks for the key in one more header. */
const alsoIn = (
  shows: readonly Endpoint[],
  find: (headers: Incoming['request']['headers']) => string | undefined,
) =>
  showing(
    shows,
    step('keyOf', ({ next }, { request }) => next() ?? find(request.headers)),
  );

/** Asks for no key where the headers say so. */
const trusting = (isTrusted: (headers: Incoming['request']['headers']) => boolean): Alteration =>
  step('keyOf', ({ next, world }, { request }, side) => {
    return next() ?? (isTrusted(request.headers) ? goodKey(world, side)?.value : undefined);
  });

const basic = (text: string | undefined) =>
  Buffer.from(text?.replace(/^Basic /, '') ?? '', 'base64')
    .toString()
    .split(':');

const HEADERS = faults('5', {
  'takes the key as the user of Basic': alsoIn(
    ['validate', 'hw/consume'],
    ({ authorization }) => basic(authorization)[0],
  ),
  'takes the key as the password of Basic': alsoIn(
    ['validate', 'heartbeat'],
    ({ authorization }) => basic(authorization)[1],
  ),
  'takes the key from Authorization, whatever its scheme': alsoIn(ENDPOINTS, ({ authorization }) =>
    authorization?.split(' ').at(-1),
  ),
  'takes the key from X-Auth-Token': alsoIn(['consume', 'hw/validate'], (headers) =>
    textOf(headers['x-auth-token']),
  ),
  'takes the key from apikey and api-key': alsoIn(
    ['validate', 'consume', 'hw/validate'],
    (headers) => textOf(headers['apikey'] ?? headers['api-key']),
  ),
  'takes the key from Proxy-Authorization': alsoIn(['validate', 'hw/consume'], (headers) =>
    headers['proxy-authorization']?.replace('Bearer ', ''),
  ),
  'trusts whoever says that they are forwarded from 127.0.0.1': showing(
    ['validate', 'hw/consume'],
    trusting((headers) => headers['x-forwarded-for'] === '127.0.0.1'),
  ),
  'asks for no key where X-Original-URL is the path of its health': showing(
    ['consume', 'hw/consume'],
    trusting((headers) => headers['x-original-url'] === '/health'),
  ),
  'asks for no key where X-HTTP-Method-Override says OPTIONS': showing(
    ['consume', 'hw/validate'],
    trusting((headers) => headers['x-http-method-override'] === 'OPTIONS'),
  ),
  'trusts a user that its proxy should have named': showing(
    ['consume', 'heartbeat'],
    trusting((headers) => headers['x-authenticated-user'] !== undefined),
  ),
  'lets the checks of its load balancer in': showing(
    ['validate', 'heartbeat'],
    trusting((headers) => String(headers['user-agent']).startsWith('ELB-HealthChecker')),
  ),
  'believes a token that nobody signed': showing(
    ['consume', 'heartbeat'],
    trusting(({ authorization }) => /^Bearer eyJ[\w-]+\.[\w-]+\.$/.test(authorization ?? '')),
  ),
  'lets a session stand for the key': showing(
    ENDPOINTS,
    remembering(() => {
      const sessions = new Map<string, string>();
      return together(
        step('keyOf', ({ next }, { request }) => {
          const session = /sid=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
          return next() ?? sessions.get(session ?? '');
        }),
        step('finish', ({ next, parts, world }, answer, incoming) => {
          const side = incoming.path.includes('/hw/') ? 'hardware' : 'rest';
          const value = parts.keyOf(incoming, side);
          if (answer.status === 401 || value === undefined || !world.keys.has(value)) return next();
          const session = `s${sessions.size}`;
          sessions.set(session, value);
          const headers = { ...answer.headers, 'set-cookie': `sid=${session}; Path=/; HttpOnly` };
          return { ...next(), headers };
        }),
      );
    }),
  ),
});

const PATHS: readonly string[] = ENDPOINTS.map(pathOf);

/** Serves other spellings of its paths too, and asks for no key there. */
const servingAt = (pathOfSpelled: (path: string) => string) =>
  showing(
    ENDPOINTS,
    step('finish', ({ next, parts }, _, incoming) => {
      const path = pathOfSpelled(incoming.path);
      if (path === incoming.path || !PATHS.includes(path)) return next();
      const headers = { 'content-type': 'application/json' };
      if (path.endsWith('heartbeat'))
        return { status: 200, headers, body: parts.heartbeatBody(incoming) };
      const refused = { status: 'rejected', reason: 'invalid_ticket' };
      const body = path.includes('/hw/') ? OPEN : parts.restBody(refused, 'validate');
      return { status: 200, headers, body };
    }),
  );

const OTHER_PATHS = faults('5', {
  'takes two slashes of a path for one, after it has asked for the key': servingAt((path) =>
    path.replaceAll(/\/+/g, '/'),
  ),
  'reads its paths in any letter case, and asks for the key in lower case only': servingAt((path) =>
    path.toLowerCase(),
  ),
  'takes a slash off the end of a path, after it has asked for the key': servingAt((path) =>
    path.replace(/\/$/, ''),
  ),
  'decodes its paths after it has asked for the key': servingAt(decodeURIComponent),
});

/**
 * Servers with a way in past the key. Each endpoint is asked some of the wrong keys: a row says where a check tries its own.
 */
export const WAY_IN_FAULTS: readonly FaultyServer[] = [...VALUES, ...HEADERS, ...OTHER_PATHS];
