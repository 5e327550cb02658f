import { withoutKeys } from '../kit/secrets.ts';
import { hasForbiddenCharacters } from '../kit/text.ts';
import { refuse } from './errors.ts';
import { NAME_CHARACTERS_MAX } from './limits.ts';

/** @throws TicketscanError `usage` */
export function checkedName(name: string, charactersMax = NAME_CHARACTERS_MAX): string {
  if (
    name.trim() === '' ||
    name.length > charactersMax ||
    hasForbiddenCharacters(name) ||
    !name.isWellFormed()
  ) {
    throw refuse('name_invalid', { max: charactersMax });
  }
  if (withoutKeys(name) !== name) {
    throw refuse('name_secret');
  }
  return name;
}
