import { Button } from '@mantine/core';
import { useState } from 'react';
import type { OwnedAccessToken, Page } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { Answered, Empty } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';

/** The tokens of every account of the organisation, for its owners. */
export function AllTokens() {
  const { accessTokens } = useTexts();
  const list = useRead<Page<OwnedAccessToken>>('/organisation/access-tokens');
  const [revoking, setRevoking] = useState<OwnedAccessToken>();
  const columns = useColumns(setRevoking);
  return (
    <>
      <h2>{accessTokens.all}</h2>
      <p className="dimmed">{accessTokens.allHelp}</p>
      <Answered asked={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={accessTokens.allEmpty} />
          ) : (
            <DataTable
              label={accessTokens.all}
              columns={columns}
              rows={items}
              keyOf={({ id }) => id}
            />
          )
        }
      </Answered>
      {revoking && (
        <Confirm
          title={accessTokens.deleteTitle}
          submit={accessTokens.revoke}
          act={{ method: 'DELETE', path: `/organisation/access-tokens/${revoking.id}` }}
          changes={['access-tokens', 'organisation']}
          onClose={() => setRevoking(undefined)}
        >
          {accessTokens.deleteText(revoking.name)}
        </Confirm>
      )}
    </>
  );
}

function useColumns(onRevoke: (token: OwnedAccessToken) => void): Column<OwnedAccessToken>[] {
  const { accessTokens, accounts, general, roles } = useTexts();
  return [
    { title: accessTokens.account, cell: ({ account }) => <Name>{account.name}</Name> },
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
          aria-label={accessTokens.revokeNamed(token.name, token.account.name)}
          onClick={() => onRevoke(token)}
        >
          {accessTokens.revoke}
        </Button>
      ),
    },
  ];
}
