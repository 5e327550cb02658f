import { Alert, Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { SHOP_LABELS, SHOP_NAMES, type ShopName } from '../../core/shop-names.ts';
import type { ListChoices } from '../api/list-choices.ts';
import { CANCELLED_COLUMN, type Mapping } from '../components/column-mapping.tsx';
import { choicesOf } from '../components/fields.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';

/** What shops write for it, in their two languages. */
const USUAL_WORDS = 'cancelled, canceled, refunded, storniert, erstattet';

/** The list of a shop: whose it is, which values mean cancelled, and whether its changes are taken over. */
export function useShop({ update: didUpdate }: Pick<ListChoices, 'update'>) {
  const [map, setMap] = useState('');
  const [words, setWords] = useState(USUAL_WORDS);
  const [update, setUpdate] = useState(didUpdate);
  return { map, words, update, setMap, setWords, setUpdate };
}

/** Offers the map of the shop whose list it seems to be: one tap instead of a choice for each column. */
export function SeemsOf({
  name,
  onAgree,
}: {
  readonly name: ShopName;
  readonly onAgree: () => void;
}) {
  const { lists } = useDeskTexts();
  const label = SHOP_LABELS[name];
  return (
    <Alert role="status" color="blue" title={lists.seemsOf(label)}>
      <Button size="xs" onClick={onAgree}>
        {lists.readAsOf(label)}
      </Button>
    </Alert>
  );
}

interface ShopProps {
  readonly shop: ReturnType<typeof useShop>;
}

/** Which shop exported the list. */
export function Shop({ shop }: ShopProps) {
  const { lists } = useDeskTexts();
  return (
    <NativeSelect
      label={lists.shop}
      description={lists.shopHelp}
      data={[{ value: '', label: lists.noShop }, ...choicesOf(SHOP_NAMES, SHOP_LABELS)]}
      value={shop.map}
      onChange={(event) => shop.setMap(event.currentTarget.value)}
    />
  );
}

/** Whether tickets that are there take over what the list says now. */
export function UpdateChoice({ shop }: ShopProps) {
  const { lists } = useDeskTexts();
  return (
    <Checkbox
      label={lists.update}
      description={lists.updateHelp}
      checked={shop.update}
      onChange={(event) => shop.setUpdate(event.currentTarget.checked)}
    />
  );
}

/** Which values of the chosen column mean that a row was cancelled. */
export function CancelledWords({ shop, mapping }: ShopProps & { readonly mapping: Mapping }) {
  const { lists } = useDeskTexts();
  if (!Object.values(mapping).includes(CANCELLED_COLUMN)) return null;
  return (
    <TextInput
      label={lists.cancelledWords}
      description={lists.cancelledWordsHelp}
      value={shop.words}
      onChange={(event) => shop.setWords(event.currentTarget.value)}
    />
  );
}

/** The columns of tickets, and by heading the values that mean cancelled. */
export function columnsAndCancelled(mapping: Mapping, words: string) {
  const values = words.split(',').flatMap((word) => word.trim() || []);
  const says = Object.keys(mapping).filter((heading) => mapping[heading] === CANCELLED_COLUMN);
  const columns = { ...mapping, ...Object.fromEntries(says.map((heading) => [heading, null])) };
  const cancelled = values.length === 0 ? [] : says.map((heading) => [heading, values]);
  return { columns, cancelled: Object.fromEntries(cancelled) as Record<string, string[]> };
}
