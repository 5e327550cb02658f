import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { Opened } from './dialogs.tsx';

interface RowMenuItem {
  readonly text: string;
  /** Asks once more before it acts. */
  readonly dialog: ReactNode;
}

interface RowMenuProps {
  /** What the acts are about: a screen reader says it too. */
  readonly of: string;
  readonly items: readonly RowMenuItem[];
}

/** What is seldom wanted, and cannot be taken back, behind a button: a list shows no column of red buttons. */
export function RowMenu({ of, items }: RowMenuProps) {
  const { general } = useDeskTexts();
  const opener = useRef<HTMLButtonElement>(null);
  const [chosen, setChosen] = useState<RowMenuItem>();
  return (
    <>
      <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <ActionIcon ref={opener} variant="default" size={30} aria-label={general.more(of)}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {items.map((item) => (
            <Menu.Item
              key={item.text}
              className="danger"
              aria-label={general.act(item.text, of)}
              onClick={() => {
                // The dialogue gives the focus back to what had it.
                opener.current?.focus();
                setChosen(item);
              }}
            >
              {item.text}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {chosen && <Opened value={() => setChosen(undefined)}>{chosen.dialog}</Opened>}
    </>
  );
}
