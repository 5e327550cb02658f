import { Alert, Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { PHONE_NAME_CHARACTERS_MAX } from '../../core/limits.ts';
import { ApiFailure, BASE_PATH, call, type Input } from '../api/http.ts';
import { SESSION_KEY, takePage } from '../api/session.ts';
import { SecretInput, useDraft } from '../components/fields.tsx';
import { failureText } from '../components/page.tsx';
import { PeopleText } from '../components/people-text.tsx';
import { recall, remember, useTexts } from '../i18n/language.tsx';
import type { Texts } from '../i18n/texts.ts';
import icon from '../icon.svg';
import { droppedScans, watchDropped } from '../scanner/dropped-scans.ts';
import { LanguageSwitch, SchemeSwitch, StrayCodeAlone } from '../shell/shell.tsx';

interface PageAloneProps {
  readonly title: string;
  /** What to do when a hand scanner has read a ticket here. */
  readonly stray: string;
  readonly children: ReactNode;
}

/** A page without menu, for those who have no session. */
function PageAlone({ title, stray, children }: PageAloneProps) {
  const { product } = useTexts();
  // Like every page: a title element of its own would leave that of the page before, with the name of a guest, beside it.
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <main className="alone">
      <div className="alone-switches">
        <LanguageSwitch />
        <SchemeSwitch />
      </div>
      <StrayCodeAlone text={stray} />
      <div className="sign-in form panel">
        <img src={icon} alt="" width={56} height={56} />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

function Refused({ text }: { text: string }) {
  return (
    <Alert color="red" role="alert">
      {text}
    </Alert>
  );
}

/** Account and password. The answer sets a cookie that no script can read. */
export function SignIn() {
  const texts = useTexts();
  const client = useQueryClient();
  const [wasPaired] = useState(() => recall(REMEMBERED) !== undefined);
  const dropped = useSyncExternalStore(watchDropped, droppedScans);
  const { draft, setDraft, field } = useDraft({ name: '', password: '' });
  const signIn = useMutation({
    mutationFn: async () => {
      await call('POST /sessions', draft);
      return call('GET /sessions/current', {}).catch(cookieLostOn401);
    },
    onSuccess: (session) => {
      takePage(session.account.id);
      client.setQueryData(SESSION_KEY, session);
    },
    // Overrides what other calls do on a 401: here it means a wrong password, not the end of a session.
    onError: () => setDraft({ ...draft, password: '' }),
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <PageAlone title={texts.signIn.title} stray={texts.scanner.straySignIn}>
      <form className="form" onSubmit={onSubmit}>
        {dropped > 0 && (
          <Alert color="yellow" role="alert">
            {texts.signIn.dropped(dropped)}
          </Alert>
        )}
        <TextInput label={texts.signIn.name} autoComplete="username" required {...field('name')} />
        <SecretInput
          label={texts.signIn.password}
          autoComplete="current-password"
          {...field('password')}
        />
        {signIn.error && <Refused text={signInRefusal(signIn.error, texts)} />}
        <Button type="submit" loading={signIn.isPending}>
          {texts.signIn.submit}
        </Button>
        <p className="dimmed small">
          {wasPaired ? texts.signIn.wasPaired : texts.signIn.firstAccount}
        </p>
      </form>
    </PageAlone>
  );
}

/** What was given was right, but the browser has not kept the cookie that the answer set. */
class CookieLost extends Error {
  override readonly name = 'CookieLost';
}

function cookieLostOn401(error: unknown): never {
  const isLost = error instanceof ApiFailure && error.status === 401;
  throw isLost ? new CookieLost('the cookie did not come back') : error;
}

/** Why, as far as a page can know: without TLS browsers keep it on the same machine only. */
function cookieLostText({ signIn }: Texts): string {
  return isSecureContext ? signIn.cookieRefused : signIn.cookieWithoutTls;
}

function signInRefusal(error: Error, texts: Texts): string {
  if (error instanceof CookieLost) return cookieLostText(texts);
  if (error instanceof ApiFailure && error.status === 401) return texts.signIn.refused;
  if (error instanceof ApiFailure && [429, 503].includes(error.status)) return texts.signIn.slower;
  return failureText(error, texts);
}

const ASK_EVERY_MS = 1000;
const REMEMBERED = 'ticketscan.phone-name';

/** What a phone shows that has scanned the QR code of a pairing. No session is needed, and one that works here goes on until the new one begins. */
export function PairPage() {
  const { pair, scanner } = useTexts();
  const [token] = useState(takeToken);
  const redeem = useMutation({ mutationFn: redeemPairing });
  const before = useQuery({ queryKey: ['redemption'], queryFn: redemption, gcTime: 0 });
  return (
    <PageAlone title={pair.title} stray={scanner.strayPair}>
      {redeem.data ? (
        <Waiting {...redeem.data} />
      ) : (
        <>
          {token === '' ? (
            <p>{pair.noCode}</p>
          ) : (
            <AskForm
              pending={redeem.isPending}
              error={redeem.error}
              onAsk={(name) => redeem.mutate({ token, name })}
            />
          )}
          {before.data?.signedIn && <GoesOn text={pair.goesOn} />}
        </>
      )}
    </PageAlone>
  );
}

/** Leads back to what works on this phone. A new document: this page has not looked at the session. */
function GoesOn({ text }: { text: string }) {
  const { pair } = useTexts();
  return (
    <>
      <p>{text}</p>
      <Button component="a" variant="default" href={`${BASE_PATH}/scanner`}>
        {pair.back}
      </Button>
    </>
  );
}

function redemption() {
  return call('GET /redemptions/current', {});
}

/** What has become of the pairing. Once it is confirmed, its session takes the place of the one that worked here before. */
async function takeTurn() {
  const asked = await redemption();
  if (asked.state === 'paired') await call('POST /redemptions/current', {});
  return asked;
}

/** Asks to be paired. @throws CookieLost when the pairing cannot go on, because this browser keeps no cookie of it */
async function redeemPairing(input: Input) {
  const { code } = await call('POST /redemptions', input);
  const { state, signedIn } = await redemption();
  if (state === 'ended') throw new CookieLost('the cookie did not come back');
  return { code, signedIn };
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
      <PeopleText
        label={texts.pair.name}
        description={texts.pair.nameHelp}
        required
        charactersMax={PHONE_NAME_CHARACTERS_MAX}
        autoComplete="off"
        value={name}
        onChange={(change) => setName(change.currentTarget.value)}
      />
      {error && <Refused text={pairRefusal(error, texts)} />}
      <Button type="submit" loading={pending}>
        {texts.pair.submit}
      </Button>
    </form>
  );
}

function pairRefusal(error: Error, texts: Texts): string {
  if (error instanceof CookieLost) return cookieLostText(texts);
  if (error instanceof ApiFailure && error.status === 404) return texts.pair.used;
  if (error instanceof ApiFailure && error.status === 429) return texts.signIn.slower;
  return failureText(error, texts);
}

interface WaitingProps {
  /** The digits to compare. */
  readonly code: string;
  /** Whether a session works here, whatever becomes of the pairing. */
  readonly signedIn: boolean;
}

/** Shows the code to compare, until the dashboard has answered. */
function Waiting({ code, signedIn }: WaitingProps) {
  const { pair } = useTexts();
  const asked = useQuery({
    queryKey: ['redemption', code],
    queryFn: takeTurn,
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
      <>
        <Alert color="yellow" role="alert">
          {pair.ended}
        </Alert>
        {asked.data?.signedIn && <GoesOn text={pair.wentOn} />}
      </>
    );
  }
  return (
    <>
      <div role="status" className="form">
        <p>{pair.compare}</p>
        <p className="pairing-code">{code}</p>
      </div>
      {signedIn && <GoesOn text={pair.goesOn} />}
    </>
  );
}
