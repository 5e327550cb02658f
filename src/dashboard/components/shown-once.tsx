import { Alert, Button, Modal } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../i18n/language.tsx';
import { CopyField } from './copy-field.tsx';

interface ShownOnceProps {
  readonly title: string;
  /** What the value is called. */
  readonly label: string;
  readonly value: string;
  readonly onClose: () => void;
  /** What belongs to it. */
  readonly children?: ReactNode;
}

/** A secret to copy now: nobody can see it again. Only the button closes it. */
export function ShownOnce({ title, label, value, onClose, children }: ShownOnceProps) {
  const { keys } = useTexts();
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={<span className="break">{title}</span>}
    >
      <div className="form">
        <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
          {keys.once}
        </Alert>
        <CopyField label={label} value={value} />
        {children}
        <div className="form-buttons">
          <Button onClick={onClose}>{keys.done}</Button>
        </div>
      </div>
    </Modal>
  );
}
