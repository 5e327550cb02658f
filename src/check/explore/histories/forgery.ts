import type { Forgery } from './history.ts';

interface Recipe {
  /** As the end of a phrase that begins with "a code": `with its signature backwards`. */
  readonly what: string;
  spoil(code: string): string;
}

/** Ways to forge a code. */
export const FORGERY_RECIPES: Readonly<Record<Forgery, Recipe>> = {
  'signature-backwards': {
    what: 'with its signature backwards',
    spoil(code) {
      const at = code.lastIndexOf('.') + 1;
      return code.slice(0, at) + [...code.slice(at)].reverse().join('');
    },
  },
  'signature-cut': {
    what: 'without its last letter',
    spoil: (code) => code.slice(0, -1),
  },
  longer: {
    what: 'with AAAA after it',
    spoil: (code) => `${code}AAAA`,
  },
};

/** The forged code. */
export function forge(code: string, forgery: Forgery): string {
  return FORGERY_RECIPES[forgery].spoil(code);
}
