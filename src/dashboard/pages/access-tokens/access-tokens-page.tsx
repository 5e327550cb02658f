import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useSession } from '../../api/session.tsx';
import type { AccessToken, OwnedAccessToken } from '../../api/types.ts';
import { Name } from '../../components/name.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { CreateToken } from './create-token.tsx';
import { TokenList } from './token-list.tsx';

/** The account's own tokens for scripts; for owners those of every account too. */
export function AccessTokensPage() {
  const { accessTokens, general } = useTexts();
  const { role } = useSession().account;
  const [creating, setCreating] = useState(false);
  return (
    <>
      <PageHead title={accessTokens.title}>
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
          {accessTokens.create}
        </Button>
      </PageHead>
      <p className="dimmed">{accessTokens.help}</p>
      <TokenList<AccessToken>
        path="/access-tokens"
        label={accessTokens.title}
        empty={accessTokens.empty}
        end={general.delete}
        endNamed={({ name }) => accessTokens.delete(name)}
      />
      {role === 'owner' && <AllTokens />}
      {creating && <CreateToken onClose={() => setCreating(false)} />}
    </>
  );
}

/** The tokens of every account of the organisation. */
function AllTokens() {
  const { accessTokens } = useTexts();
  return (
    <>
      <h2>{accessTokens.all}</h2>
      <p className="dimmed">{accessTokens.allHelp}</p>
      <TokenList<OwnedAccessToken>
        path="/organisation/access-tokens"
        label={accessTokens.all}
        empty={accessTokens.allEmpty}
        before={[
          { title: accessTokens.account, cell: ({ account }) => <Name>{account.name}</Name> },
        ]}
        end={accessTokens.revoke}
        endNamed={({ name, account }) => accessTokens.revokeNamed(name, account.name)}
      />
    </>
  );
}
