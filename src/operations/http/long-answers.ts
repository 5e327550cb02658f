import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Members that are long lists, of whatever answer has one. */
const LISTS = ['items', 'rows'] as const;
/** The schema of an answer checks each of them: some milliseconds. */
const ITEMS_PER_TURN = 100;

type Answer = Readonly<Record<string, unknown>>;

/** Writes long answers of `app` in steps: a list of thousands as one piece would hold the thread of the gates. */
export function writeLongAnswersInSteps(app: FastifyInstance): void {
  app.addHook('preSerialization', async (_request, reply, payload) => {
    const answer = payload as Answer | null;
    for (const member of LISTS) {
      const list = answer?.[member];
      if (!Array.isArray(list) || list.length <= ITEMS_PER_TURN) continue;
      const text = await inSteps(reply, { ...answer, [member]: [] }, member, list);
      reply.type('application/json; charset=utf-8').serializer((written: string) => written);
      return text;
    }
    return payload;
  });
}

/** @param answer with an empty list in place of the long one */
async function inSteps(
  reply: FastifyReply,
  answer: Answer,
  member: string,
  list: readonly unknown[],
): Promise<string> {
  const empty = reply.serialize(answer) as string;
  const begin = empty.indexOf(`"${member}":[]`) + member.length + 4;
  const parts: string[] = [];
  for (let from = 0; from < list.length; from += ITEMS_PER_TURN) {
    const some = list.slice(from, from + ITEMS_PER_TURN);
    const text = reply.serialize({ ...answer, [member]: some }) as string;
    parts.push(text.slice(begin, begin - empty.length));
    await nextTurn();
  }
  return `${empty.slice(0, begin)}${parts.join(',')}${empty.slice(begin)}`;
}
