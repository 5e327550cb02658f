import { Alert, Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { BASE_PATH } from '../api/base-path.ts';
import { ApiFailure, call } from '../api/http.ts';
import type { Redeemed, RedemptionState } from '../api/types.ts';
import { failureText } from '../components/failure-text.ts';
import { type Texts, useTexts } from '../i18n/language.tsx';
import icon from '../icon.svg';
import { LanguageSwitch, SchemeSwitch } from '../shell/appearance.tsx';
import { recall, remember } from '../shell/remembered.ts';

const ASK_EVERY_MS = 1000;
const REMEMBERED = 'ticketscan.phone-name';
const NAME_CHARACTERS_MAX = 60;

/** What a phone shows that has scanned the QR code of a pairing. No session is needed, and none there is looked at. */
export function PairPage() {
  const { pair, product } = useTexts();
  const [token] = useState(takeToken);
  const redeem = useMutation({
    mutationFn: (body: { token: string; name: string }) =>
      call<Redeemed>({ method: 'POST', path: '/redemptions', body }),
  });
  return (
    <main className="alone">
      <title>{`${pair.title} · ${product}`}</title>
      <div className="alone-switches">
        <LanguageSwitch />
        <SchemeSwitch />
      </div>
      <div className="sign-in form panel">
        <img src={icon} alt="" width={56} height={56} />
        <h1>{pair.title}</h1>
        {redeem.data ? (
          <Waiting code={redeem.data.code} />
        ) : token === '' ? (
          <p>{pair.noCode}</p>
        ) : (
          <AskForm
            pending={redeem.isPending}
            error={redeem.error}
            onAsk={(name) => redeem.mutate({ token, name })}
          />
        )}
      </div>
    </main>
  );
}

/** Takes the token out of the address, so that it stays neither in the history nor in a bookmark. */
function takeToken(): string {
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  return token;
}

interface AskFormProps {
  readonly pending: boolean;
  readonly error: Error | null;
  readonly onAsk: (name: string) => void;
}

function AskForm({ pending, error, onAsk }: AskFormProps) {
  const texts = useTexts();
  const [name, setName] = useState(() => recall(REMEMBERED) ?? '');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    remember(REMEMBERED, name.trim());
    onAsk(name.trim());
  };
  return (
    <form className="form" onSubmit={onSubmit}>
      <TextInput
        label={texts.pair.name}
        description={texts.pair.nameHelp}
        required
        maxLength={NAME_CHARACTERS_MAX}
        autoComplete="off"
        value={name}
        onChange={(change) => setName(change.currentTarget.value)}
      />
      {error && (
        <Alert color="red" role="alert">
          {refusalText(error, texts)}
        </Alert>
      )}
      <Button type="submit" loading={pending}>
        {texts.pair.submit}
      </Button>
    </form>
  );
}

function refusalText(error: Error, texts: Texts): string {
  if (error instanceof ApiFailure && error.status === 404) return texts.pair.used;
  if (error instanceof ApiFailure && error.status === 429) return texts.signIn.slower;
  return failureText(error, texts);
}

/** Shows the code to compare, until the dashboard has answered. */
function Waiting({ code }: { code: string }) {
  const { pair } = useTexts();
  const asked = useQuery({
    queryKey: ['redemption'],
    queryFn: () => call<RedemptionState>({ method: 'GET', path: '/redemptions/current' }),
    refetchInterval: ASK_EVERY_MS,
    gcTime: 0,
  });
  const state = asked.data?.state ?? 'waiting';
  useEffect(() => {
    // A new document: it asks for the session that the phone has now.
    if (state === 'paired') location.replace(`${BASE_PATH}/scanner`);
  }, [state]);
  if (state === 'ended') {
    return (
      <Alert color="yellow" role="alert">
        {pair.ended}
      </Alert>
    );
  }
  return (
    <div role="status" className="form">
      <p>{pair.compare}</p>
      <p className="pairing-code">{code}</p>
    </div>
  );
}
