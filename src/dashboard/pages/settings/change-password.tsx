import { Alert, Button } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/use-api.ts';
import { SecretInput } from '../../components/secret-input.tsx';
import { Failure } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';

const NOTHING = { current: '', next: '' };

/** Changes the password of the signed-in account. */
export function ChangePassword() {
  const { settings, accounts } = useTexts();
  const [typed, setTyped] = useState(NOTHING);
  const change = useChange('access-tokens', 'organisation');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { method: 'POST', path: '/password', body: typed },
      { onSuccess: () => setTyped(NOTHING) },
    );
  };
  return (
    <form className="panel form" onSubmit={onSubmit}>
      <h2>{settings.password}</h2>
      <SecretInput
        label={settings.current}
        required
        autoComplete="current-password"
        value={typed.current}
        onChange={(event) => setTyped({ ...typed, current: event.currentTarget.value })}
      />
      <SecretInput
        label={settings.next}
        description={accounts.passwordHelp}
        required
        autoComplete="new-password"
        value={typed.next}
        onChange={(event) => setTyped({ ...typed, next: event.currentTarget.value })}
      />
      {change.error && <Failure error={change.error} />}
      {change.isSuccess && (
        <Alert color="green" role="status">
          {settings.changed}
        </Alert>
      )}
      <Button type="submit" loading={change.isPending}>
        {settings.password}
      </Button>
    </form>
  );
}
