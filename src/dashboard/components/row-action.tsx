import { Button } from '@mantine/core';

interface RowActionProps {
  readonly text: string;
  /** What a screen reader says: the text, and what it acts on. */
  readonly label: string;
  readonly onClick: () => void;
  readonly loading?: boolean;
  /** The act cannot be taken back. */
  readonly danger?: boolean;
}

/** A small button in a row or on a card. */
export function RowAction({ text, label, danger, ...button }: RowActionProps) {
  const look = danger ? ({ variant: 'light', color: 'red' } as const) : { variant: 'default' };
  return (
    <Button size="xs" {...look} aria-label={label} {...button}>
      {text}
    </Button>
  );
}
