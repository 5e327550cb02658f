import { Button } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { useSession, useSignOut } from '../api/session.tsx';
import { Name } from '../components/name.tsx';
import { pageZone } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

/** Who is signed in, for which organisation, and the way out. */
export function AccountBox() {
  const texts = useTexts();
  const { account, organisation } = useSession();
  const signOut = useSignOut();
  return (
    <div className="account-box">
      <strong>
        <Name>{organisation.name}</Name>
      </strong>
      <span>
        <Name>{account.name}</Name>
      </span>
      <span className="dimmed">{texts.roles[account.role]}</span>
      <span className="dimmed">{pageZone()}</span>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconLogout size={16} aria-hidden />}
        onClick={() => void signOut()}
      >
        {texts.navigation.signOut}
      </Button>
    </div>
  );
}
