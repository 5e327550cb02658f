import { onTestFinished } from 'vitest';
import { type Document, DocumentProblems, hearAnswers } from '../../support/document-problems.ts';
import { TestService, type TestServiceOptions } from '../../support/service.ts';

/** A service whose answers are heard, and held against its own document. */
export async function startHeard(options: TestServiceOptions) {
  const service = await TestService.start({ store: 'memory', ...options });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
  const judge = new DocumentProblems(document);
  const { answers, stop } = hearAnswers();
  onTestFinished(stop);
  return {
    service,
    document,
    answers,
    problems: () => answers.map((one) => judge.problemOf(one)).filter(Boolean),
    kinds: () => new Set(answers.map(({ path, status }) => `${path} ${status}`)),
    /** The operations that succeeded so far. */
    succeeded: () =>
      new Set(answers.filter(({ status }) => status < 300).map((one) => judge.operationIdOf(one))),
  };
}
