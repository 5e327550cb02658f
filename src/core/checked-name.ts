import { withoutKeys } from '../kit/secrets.ts';
import { refuse } from './errors.ts';
import { NAME_CHARACTERS_MAX } from './limits.ts';
import { isPeopleText } from './people-texts.ts';
import { looksEmpty } from './text-length.ts';

/** @throws TicketscanError `usage` */
export function checkedName(name: string, charactersMax = NAME_CHARACTERS_MAX): string {
  if (looksEmpty(name) || !isPeopleText(name, charactersMax)) {
    throw refuse('name_invalid', { max: charactersMax });
  }
  if (withoutKeys(name) !== name) {
    throw refuse('name_secret');
  }
  return name;
}
