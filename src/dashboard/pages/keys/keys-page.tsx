import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useKeys } from '../../api/lists.ts';
import { useMay } from '../../api/session.tsx';
import type { CreatedKey } from '../../api/types.ts';
import { PageHead } from '../../components/page-head.tsx';
import { Answered, Empty } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { CreateKey } from './create-key.tsx';
import { CreatedKeyModal } from './created-key.tsx';
import { KeyCard } from './key-card.tsx';

const USAGE_EVERY_MS = 10_000;

/** API keys: create, change, enable, disable, delete; and how much of their limits they use (sections 2.1 and 3.1). */
export function KeysPage() {
  const texts = useTexts();
  const owner = useMay('owner');
  const keys = useKeys({ everyMs: USAGE_EVERY_MS });
  const [creating, setCreating] = useState(false);
  // The value lives in this state only: closing the dialogue forgets it.
  const [created, setCreated] = useState<CreatedKey>();
  return (
    <>
      <PageHead title={texts.keys.title}>
        {owner && (
          <Button
            leftSection={<IconPlus size={18} aria-hidden />}
            onClick={() => setCreating(true)}
          >
            {texts.keys.create}
          </Button>
        )}
      </PageHead>
      <Answered asked={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={texts.keys.empty} />
          ) : (
            <ul className="cards">
              {items.map((key) => (
                <KeyCard key={key.id} apiKey={key} onRotated={setCreated} />
              ))}
            </ul>
          )
        }
      </Answered>
      {creating && (
        <CreateKey
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false);
            setCreated(key);
          }}
        />
      )}
      {created && <CreatedKeyModal created={created} onClose={() => setCreated(undefined)} />}
    </>
  );
}
