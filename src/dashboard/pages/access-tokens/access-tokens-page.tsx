import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useSession } from '../../api/session.tsx';
import type { AccessToken, Page } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Answered, Empty } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { AllTokens } from './all-tokens.tsx';
import { CreateToken } from './create-token.tsx';

/** The account's own tokens for scripts. */
export function AccessTokensPage() {
  const { accessTokens, general } = useTexts();
  const { role } = useSession().account;
  const list = useRead<Page<AccessToken>>('/access-tokens');
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<AccessToken>();
  const columns = useColumns(setDeleting);
  return (
    <>
      <PageHead title={accessTokens.title}>
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
          {accessTokens.create}
        </Button>
      </PageHead>
      <p className="dimmed">{accessTokens.help}</p>
      <Answered asked={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={accessTokens.empty} />
          ) : (
            <DataTable
              label={accessTokens.title}
              columns={columns}
              rows={items}
              keyOf={({ id }) => id}
            />
          )
        }
      </Answered>
      {role === 'owner' && <AllTokens />}
      {creating && <CreateToken onClose={() => setCreating(false)} />}
      {deleting && (
        <Confirm
          title={accessTokens.deleteTitle}
          submit={general.delete}
          act={{ method: 'DELETE', path: `/access-tokens/${deleting.id}` }}
          changes={['access-tokens', 'organisation']}
          onClose={() => setDeleting(undefined)}
        >
          {accessTokens.deleteText(deleting.name)}
        </Confirm>
      )}
    </>
  );
}

function useColumns(onDelete: (token: AccessToken) => void): Column<AccessToken>[] {
  const { accessTokens, accounts, general, roles } = useTexts();
  return [
    { title: general.name, cell: ({ name }) => <Name>{name}</Name> },
    { title: accounts.role, cell: ({ role }) => roles[role] },
    { title: general.created, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    { title: accessTokens.expires, cell: ({ expiresAt }) => <TimeText at={expiresAt} /> },
    {
      title: general.actions,
      cell: (token) => (
        <Button
          size="xs"
          variant="light"
          color="red"
          aria-label={accessTokens.delete(token.name)}
          onClick={() => onDelete(token)}
        >
          {general.delete}
        </Button>
      ),
    },
  ];
}
