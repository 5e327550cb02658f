import type { ServerResponse } from 'node:http';
import { seededRandom } from '../../kit/random.ts';
import { BODY_VARIATIONS } from './body-variations.ts';
import { type Asked, type Draft, draftOf, type PlainAnswer, sendDraft } from './draft.ts';
import { shuffled, type Variation } from './variation.ts';
import { HEADER_VARIATIONS, WIRE_VARIATIONS } from './wire-variations.ts';

/** Every legal difference that a server makes with `--vary`; the checker's own tests make the same ones. What is none: ADR 0060. */
export const VARIATIONS = [...BODY_VARIATIONS, ...HEADER_VARIATIONS, ...WIRE_VARIATIONS] as const;
/** The name of one difference (docs/testing/testing.md). */
export type VariationName = (typeof VARIATIONS)[number]['name'];
export const VARIATION_NAMES: readonly VariationName[] = VARIATIONS.map(({ name }) => name);

/** How many differences one answer has at most; none is as likely as any other number. */
const AT_ONCE_MAX = 3;
/** Spreads the numbers of requests over all seeds (2³² divided by the golden ratio). */
const SPREAD = 0x9e3779b1;

export interface VaryOptions {
  /** 0 to 2³² - 1. The same seed varies the answers in the same way, request by request. */
  readonly seed: number;
  /** Only these; all by default. */
  readonly only?: readonly VariationName[] | undefined;
  /** True keeps the status of answers to devices, because a setting fixes it. */
  readonly hardwareAlways200?: boolean | undefined;
}

/** An answer with its differences, ready to send. */
export interface VariedAnswer {
  readonly names: readonly VariationName[];
  send(response: ServerResponse): void;
}

/** Varies the answer to one request. */
export type Turn = (answer: PlainAnswer, asked: Asked) => VariedAnswer;

/** Chooses how answers differ, request by request, from a seed. */
export class Variations {
  readonly #seed: number;
  readonly #chosen: readonly Variation<VariationName>[];
  /** The differences of this server: they are in every answer, besides those of the moment. */
  readonly #traits: readonly Variation<VariationName>[];
  #requests = 0;

  constructor({ seed, only, hardwareAlways200 = false }: VaryOptions) {
    this.#seed = seed;
    const all: readonly Variation<VariationName>[] = VARIATIONS.filter(
      ({ name }) =>
        (only === undefined || only.includes(name)) &&
        !(hardwareAlways200 && name === 'free-status'),
    );
    const random = seededRandom(seed);
    this.#chosen = all.filter(({ isTrait }) => !isTrait);
    this.#traits = all.filter(({ isTrait }) => isTrait && (random() < 0.5 || only !== undefined));
  }

  /** Chooses the differences of the next request, in the order of arrival: answers may overtake each other. */
  next(): Turn {
    this.#requests += 1;
    const random = seededRandom(this.#seed ^ Math.imul(this.#requests, SPREAD));
    return (answer, asked) => {
      const wanted = Math.floor(random() * (AT_ONCE_MAX + 1));
      const plan = { wanted, among: shuffled(this.#chosen, random), traits: this.#traits };
      return variedAnswer(answer, asked, plan, random);
    };
  }

  /** Begins the order anew. */
  reset(): void {
    this.#requests = 0;
  }
}

/** Every answer with this one difference, where it applies. */
export function variedBy(
  variation: Variation<VariationName>,
  answer: PlainAnswer,
  asked: Asked,
  random: () => number,
): VariedAnswer {
  return variedAnswer(answer, asked, { wanted: 1, among: [variation], traits: [] }, random);
}

interface Choice {
  readonly traits: readonly Variation<VariationName>[];
  /** How many of the others. */
  readonly wanted: number;
  readonly among: readonly Variation<VariationName>[];
}

function variedAnswer(
  answer: PlainAnswer,
  asked: Asked,
  { traits, wanted, among }: Choice,
  random: () => number,
): VariedAnswer {
  let draft: Draft = draftOf(answer);
  const apply = ({ vary }: Variation<VariationName>): boolean => {
    const next = vary(draft, random, asked);
    draft = next ?? draft;
    return next !== undefined;
  };
  const names = traits.filter(apply).map(({ name }) => name);
  let left = wanted;
  for (const variation of among) {
    if (left === 0) break;
    if (!apply(variation)) continue;
    names.push(variation.name);
    left -= 1;
  }
  return { names, send: (response) => sendDraft(draft, response, random) };
}
