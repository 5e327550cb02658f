import { useState } from 'react';
import type { AccessToken, Page } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { Answered } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';

interface TokenListProps<T> {
  /** Where the tokens are read, and deleted under their id. */
  readonly path: '/access-tokens' | '/organisation/access-tokens';
  readonly label: string;
  readonly empty: string;
  /** Columns before the name of the token. */
  readonly before?: readonly Column<T>[];
  /** What the button that ends a token says. */
  readonly end: string;
  /** The same with the token's name, for who does not see the row. */
  readonly endNamed: (token: T) => string;
}

/** A table of tokens, each with a button that ends it. */
export function TokenList<T extends AccessToken>({
  path,
  label,
  empty,
  before = [],
  end,
  endNamed,
}: TokenListProps<T>) {
  const { accessTokens, accounts, general, roles } = useTexts();
  const list = useRead<Page<T>>(path);
  const [ending, setEnding] = useState<T>();
  const columns: Column<T>[] = [
    ...before,
    { title: general.name, cell: ({ name }) => <Name>{name}</Name> },
    { title: accounts.role, cell: ({ role }) => roles[role] },
    { title: general.created, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    { title: accessTokens.expires, cell: ({ expiresAt }) => <TimeText at={expiresAt} /> },
    {
      title: general.actions,
      cell: (token) => (
        <RowAction danger text={end} label={endNamed(token)} onClick={() => setEnding(token)} />
      ),
    },
  ];
  return (
    <>
      <Answered asked={list}>
        {({ items }) => (
          <DataTable
            empty={empty}
            label={label}
            columns={columns}
            rows={items}
            keyOf={({ id }) => id}
          />
        )}
      </Answered>
      {ending && (
        <Confirm
          title={accessTokens.deleteTitle}
          submit={end}
          act={{ method: 'DELETE', path: `${path}/${ending.id}` }}
          changes={['access-tokens', 'organisation']}
          onClose={() => setEnding(undefined)}
        >
          {accessTokens.deleteText(ending.name)}
        </Confirm>
      )}
    </>
  );
}
