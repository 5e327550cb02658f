import { Alert, Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiFailure, call } from '../api/http.ts';
import { keyOf, SESSION_PATH } from '../api/query-client.ts';
import type { Session } from '../api/types.ts';
import { failureText } from '../components/failure-text.ts';
import { SecretInput } from '../components/secret-input.tsx';
import { type Texts, useTexts } from '../i18n/language.tsx';
import icon from '../icon.svg';
import { LanguageSwitch, SchemeSwitch } from '../shell/appearance.tsx';

/** Account and password. The answer sets a cookie that no script can read. */
export function SignIn() {
  const texts = useTexts();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () =>
      call<Session>({ method: 'POST', path: '/sessions', body: { name, password } }),
    onSuccess: (session) => client.setQueryData(keyOf(SESSION_PATH), session),
    // Overrides what other calls do on a 401: here it means a wrong password, not the end of a session.
    onError: () => setPassword(''),
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <main className="alone">
      <title>{`${texts.signIn.title} · ${texts.product}`}</title>
      <div className="alone-switches">
        <LanguageSwitch />
        <SchemeSwitch />
      </div>
      <form className="sign-in form panel" onSubmit={onSubmit}>
        <img src={icon} alt="" width={56} height={56} />
        <h1>{texts.signIn.title}</h1>
        <TextInput
          label={texts.signIn.name}
          autoComplete="username"
          required
          value={name}
          onChange={(change) => setName(change.currentTarget.value)}
        />
        <SecretInput
          label={texts.signIn.password}
          autoComplete="current-password"
          required
          value={password}
          onChange={(change) => setPassword(change.currentTarget.value)}
        />
        {signIn.error && (
          <Alert color="red" role="alert">
            {refusal(signIn.error, texts)}
          </Alert>
        )}
        <Button type="submit" loading={signIn.isPending}>
          {texts.signIn.submit}
        </Button>
        <p className="dimmed small">{texts.signIn.firstAccount}</p>
      </form>
    </main>
  );
}

function refusal(error: Error, texts: Texts): string {
  if (error instanceof ApiFailure && error.status === 401) return texts.signIn.refused;
  if (error instanceof ApiFailure && [429, 503].includes(error.status)) return texts.signIn.slower;
  return failureText(error, texts);
}
