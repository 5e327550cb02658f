import { refuse } from './errors.ts';
import { NAME_CHARACTERS_MAX } from './limits.ts';
import { checkNoCode, checkNoKey, isPeopleText } from './people-texts.ts';
import { looksEmpty } from './text-length.ts';

/** A name that somebody gives. @throws TicketscanError `usage` */
export function checkedName(name: string, charactersMax = NAME_CHARACTERS_MAX): string {
  checkKeptName(name, charactersMax);
  checkNoCode(name);
  return name;
}

/** A name that a store has: one from before with the code of a ticket keeps no store from being opened. @throws TicketscanError `usage` */
export function checkKeptName(name: string, charactersMax = NAME_CHARACTERS_MAX): void {
  if (looksEmpty(name) || !isPeopleText(name, charactersMax)) {
    throw refuse('name_invalid', { max: charactersMax });
  }
  checkNoKey(name);
}
