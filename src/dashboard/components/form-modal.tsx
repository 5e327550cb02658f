import { Button, Modal } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTexts } from '../i18n/language.tsx';
import { Failure } from './states.tsx';

export interface FormModalProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  readonly submit: string;
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
  readonly children: ReactNode;
  /** The act cannot be taken back, or stops a gate. */
  readonly danger?: boolean;
  /** What was given cannot be sent, and the dialogue says why. */
  readonly isBlocked?: boolean;
  /** The other button, where "Cancel" could be misread. */
  readonly dismiss?: string;
}

/** A dialogue with fields or a question. It stays open with what was typed when the server refuses. */
export function FormModal(props: FormModalProps) {
  const texts = useTexts();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!props.change.isPending) props.onSubmit();
  };
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={props.title}
      closeButtonProps={{ 'aria-label': texts.general.close }}
    >
      <form onSubmit={onSubmit} className="form">
        {props.children}
        {props.change.error && <Failure error={props.change.error} />}
        <div className="form-buttons">
          <Button variant="default" onClick={props.onClose}>
            {props.dismiss ?? texts.general.cancel}
          </Button>
          <Button
            type="submit"
            loading={props.change.isPending}
            disabled={props.isBlocked ?? false}
            {...(props.danger && { color: 'red', 'data-autofocus': true })}
          >
            {props.submit}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
