import type { z } from 'zod';
import { readBoundedText } from '../../kit/files.ts';
import { didYouMean } from '../../kit/nearest.ts';
import { unknownMember } from '../../kit/unknown-member.ts';
import { readYaml, type YamlText } from '../../kit/yaml.ts';
import { readingOf, SimulateError } from '../errors.ts';
import { MODEL_IDS } from '../models/models.ts';
import {
  type Scenario,
  ScenarioSchema,
  STEP_KEYS,
  type Step,
  scenarioJsonSchema,
  stepSchemaFor,
} from './scenario-schema.ts';

/** The bound is that of device files: the time for reading YAML grows faster than the text. */
const FILE_BYTES_MAX = 64 * 1024;

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/**
 * Reads and checks a scenario file.
 * @param fileNames of device files, as models of devices
 * @throws SimulateError that names the file, the line and what is wrong there
 */
export async function loadScenario(
  path: string,
  fileNames: readonly string[] = [],
): Promise<Scenario> {
  const text = await readingOf(path, readBoundedText);
  if (Buffer.byteLength(text) > FILE_BYTES_MAX)
    throw new SimulateError(
      `${path} is larger than ${FILE_BYTES_MAX / 1024} KiB, the most for a scenario. Split it: --scenario takes several files.`,
    );
  return parseScenario(text, path, fileNames);
}

/** @param fileNames of device files, as models of devices @throws SimulateError that names the line */
export function parseScenario(
  text: string,
  path: string,
  fileNames: readonly string[] = [],
): Scenario {
  const yaml = readYaml(text);
  const { issue } = yaml;
  if (issue) throw new SimulateError(`${path}:${issue.line}: ${issue.what}`);
  const value = plainValue(yaml, path);
  const checked = ScenarioSchema.safeParse(value);
  const lineOf = ({ at, isName }: Problem) =>
    (isName ? yaml.positionOfName(at) : yaml.positionOf(at)).line;
  if (!checked.success) {
    const problems = checked.error.issues.flatMap((issue) => explained(issue, value));
    throw new SimulateError(
      problems.map((one) => `${path}:${lineOf(one)}: ${one.what}`).join('\n'),
    );
  }
  const [wrong] = [...unknownModels(checked.data, fileNames), ...danglingNames(checked.data)];
  if (wrong) throw new SimulateError(`${path}:${lineOf(wrong)}: ${wrong.what}`);
  return checked.data;
}

/** Aliases are resolved here: one may be unknown, or stand for itself many times over. @throws SimulateError */
function plainValue(yaml: YamlText, path: string): unknown {
  try {
    return yaml.value();
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new SimulateError(`${path}: its aliases cannot be resolved: ${what}.`, {
      cause: error,
    });
  }
}

interface Problem {
  readonly at: Path;
  /** It is about the name of that member, not about its value. */
  readonly isName?: true;
  readonly what: string;
}

/** A step that fits no kind is explained by the kind that it is most likely meant to be. */
function explained(issue: Issue, value: unknown): Problem[] {
  const at = issue.path;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownIn(at, key));
  }
  if (issue.code === 'invalid_union' && at[0] === 'steps' && at.length === 2) {
    return explainedStep(at, (value as { steps: unknown[] }).steps[Number(at[1])]);
  }
  if (at.length === 0)
    return [{ at, what: 'this is not a scenario: it needs name, devices and steps' }];
  const isMissing = issue.code === 'invalid_type' && /received undefined$/.test(issue.message);
  const what = isMissing ? 'is missing (ticketscan docs simulate)' : issue.message;
  return [{ at, what: `${at.join('.')}: ${what}` }];
}

function explainedStep(at: Path, step: unknown): Problem[] {
  const keys = typeof step === 'object' && step !== null ? Object.keys(step) : [];
  const key = keys.find((one) => STEP_KEYS.includes(one));
  const checked = key === undefined ? undefined : stepSchemaFor(key)?.safeParse(step);
  if (!checked || checked.success) {
    const [first = ''] = keys;
    const meant = didYouMean(first, STEP_KEYS);
    return [{ at, what: `a step must have one of: ${STEP_KEYS.join(', ')}.${meant}` }];
  }
  return checked.error.issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((one) => unknownIn(path, one));
    }
    return [{ at: path, what: `${issue.path.join('.')}: ${issue.message}` }];
  });
}

function unknownIn(at: Path, key: string): Problem {
  return { at: [...at, key], isName: true, what: unknownMember(key, scenarioJsonSchema()) };
}

function unknownModels({ devices }: Scenario, fileNames: readonly string[]): Problem[] {
  const known = [...MODEL_IDS, ...fileNames];
  return Object.entries(devices).flatMap(([name, { model }]) => {
    if (model === undefined || known.includes(model)) return [];
    const what = `unknown device model "${model}"; known: ${known.join(', ')}.${didYouMean(model, known)} Others come from device files: --device-file FILE.`;
    return [{ at: ['devices', name, 'model'], what }];
  });
}

/** Steps that speak of devices or cards that the scenario does not have. */
function danglingNames({ devices, cards, steps }: Scenario): Problem[] {
  const known = { device: Object.keys(devices), card: Object.keys(cards) };
  return steps.flatMap((step, index) =>
    mentions(step).flatMap(({ kind, names, at }) =>
      [names].flat().flatMap((name) => {
        if (name === undefined || known[kind].includes(name)) return [];
        const what = `unknown ${kind} "${name}"; known: ${known[kind].join(', ')}.${didYouMean(name, known[kind])}`;
        return [{ at: ['steps', index, ...at], what }];
      }),
    ),
  );
}

interface Mention {
  readonly kind: 'device' | 'card';
  readonly names: string | readonly string[] | undefined;
  readonly at: Path;
}

function mentions(step: Step): Mention[] {
  if ('present' in step) {
    return [
      { kind: 'card', names: step.present, at: ['present'] },
      { kind: 'device', names: step.at, at: ['at'] },
    ];
  }
  if ('rush' in step) {
    return [
      { kind: 'card', names: step.rush.card, at: ['rush', 'card'] },
      { kind: 'device', names: step.rush.at, at: ['rush', 'at'] },
    ];
  }
  if ('expect' in step) {
    const names = 'device' in step.expect ? step.expect.device : undefined;
    return [{ kind: 'device', names, at: ['expect', 'device'] }];
  }
  const [[key, names] = []] = Object.entries(step);
  const ofDevices = key !== undefined && /^(cut|restore|power)/.test(key);
  return ofDevices ? [{ kind: 'device', names: names as string[], at: [key] }] : [];
}
