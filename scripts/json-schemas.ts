import * as z from 'zod';
import { LogEntryJson } from '../src/core/records.ts';
import { deviceFileJsonSchema } from '../src/device-files/schema.ts';
import { scenarioJsonSchema } from '../src/simulate/scenario/scenario-schema.ts';
import { StoreDocument } from '../src/stores/json/document.ts';
import { TypeSchemas, type TypeSource } from './type-schema.ts';

const FOLDER = 'docs/schemas';

interface Described {
  readonly title: string;
  readonly types: readonly TypeSource[];
  readonly isInput?: boolean;
  readonly openTypes?: readonly string[];
}

const FROM_TYPES: Readonly<Record<string, Described>> = {
  'check-report': {
    title: 'ticketscan check --json',
    types: [{ file: 'src/check/results/result.ts', name: 'CheckResult' }],
  },
  'explore-report': {
    title: 'ticketscan check explore --json',
    types: [{ file: 'src/check/explore/report.ts', name: 'ExploreResult' }],
  },
  'replay-report': {
    title: 'ticketscan check explore --replay FILE --json',
    types: [{ file: 'src/check/explore/replay.ts', name: 'ReplayResult' }],
  },
  'compare-report': {
    title: 'ticketscan check explore --against FILE --json',
    types: [{ file: 'src/check/explore/compare.ts', name: 'CompareResult' }],
  },
  'simulate-report': {
    title: 'ticketscan simulate --report FILE.json; its summary is the last line of --json',
    types: [{ file: 'src/simulate/commands/run.ts', name: 'JsonReport' }],
  },
  'doctor-report': {
    title: 'ticketscan doctor --json',
    types: [{ file: 'src/cli/commands/doctor.ts', name: 'DoctorReport' }],
  },
  'webhook-message': {
    title: 'The body of a webhook message',
    types: [{ file: 'src/features/webhooks/webhook-records.ts', name: 'WebhookBody' }],
  },
  recording: {
    title: 'A line of a recording: the first is about the recording, each other an exchange',
    types: ['RecordingHeader', 'StoredExchange'].map((name) => ({
      file: 'src/record/recording.ts',
      name,
    })),
  },
  'target-file': {
    title: 'The target file of check and simulate',
    types: [{ file: 'src/check/deployment/target.ts', name: 'TargetInput' }],
    isInput: true,
    openTypes: ['TicketInput'],
  },
};

/** Every JSON Schema that `npm run docs` writes, by the path of its file. */
export function jsonSchemas(): Map<string, string> {
  const described = Object.entries(FROM_TYPES);
  const types = new TypeSchemas(described.flatMap(([, one]) => one.types.map(({ file }) => file)));
  const entries: [path: string, schema: object][] = [
    ...described.map(([name, { title, types: sources, ...options }]): [string, object] => [
      `${FOLDER}/${name}.schema.json`,
      types.schemaOf(title, sources, options),
    ]),
    [`${FOLDER}/log-entry.schema.json`, z.toJSONSchema(LogEntryJson, { io: 'input' })],
    // What editors check the document of a `json:` store with while somebody edits it.
    [`${FOLDER}/ticketscan-store.schema.json`, z.toJSONSchema(StoreDocument, { io: 'input' })],
    ['fixtures/device-files/device-file.schema.json', deviceFileJsonSchema()],
    ['fixtures/scenarios/scenario.schema.json', scenarioJsonSchema()],
  ];
  return new Map(entries.map(([path, schema]) => [path, `${JSON.stringify(schema, null, 2)}\n`]));
}
