import { show } from '../../facts/json.ts';
import { sessionCodes } from '../codes.ts';
import { type Facts, NotShown, SubjectDeviation } from './facts.ts';

/** The length of the longest code of a session. */
const LONG_CODE_CHARACTERS = sessionCodes('').at(-1)?.length ?? 0;
const LONG = 'closed';

/**
 * @param takesLineEnd whether one line end after the code is right: servers take it off what devices send
 * @throws SubjectDeviation when a code arrived otherwise than it was presented
 */
export function mustSendWholeCodes(facts: Facts, takesLineEnd: boolean): string | undefined {
  let said: string | undefined;
  facts.posted('granted');
  for (const name of Object.keys(facts.record.observations))
    if (name !== LONG) said = mustSendWhole(facts, name, takesLineEnd) ?? said;
  return said;
}

/**
 * What a case needs that judges the longest code alone, which also has to arrive.
 * @param takesLineEnd as above
 */
export function longCodeRule(takesLineEnd: boolean) {
  return {
    level: 'stated',
    scenes: [LONG],
    requirement: `A code of ${LONG_CODE_CHARACTERS} characters, as long as one with an Ed25519 signature gets, is sent whole.`,
    judge: (facts: Facts) => mustSendLongCode(facts, takesLineEnd),
  } as const;
}

function mustSendLongCode(facts: Facts, takesLineEnd: boolean): void {
  facts.posted('granted');
  if (facts.posts(LONG).length === 0)
    throw new SubjectDeviation(
      `a request with the code of ${LONG_CODE_CHARACTERS} characters`,
      'none arrived',
    );
  mustSendWhole(facts, LONG, takesLineEnd);
}

function mustSendWhole(facts: Facts, name: string, takesLineEnd: boolean): string | undefined {
  const { code } = facts.seen(name);
  for (const request of facts.posts(name)) {
    const sent = facts.format.read(request)?.code;
    if (sent === undefined) {
      if (name === 'granted') throw new NotShown('no code could be read');
      continue;
    }
    if (sent === code) continue;
    if (!takesLineEnd || sent.replace(/(\r\n|\r|\n)$/, '') !== code)
      throw new SubjectDeviation(show(code), show(sent), request);
    return 'the code is followed by a line end, which servers take off';
  }
  return undefined;
}
