/** The shops whose exported lists the program knows: each has a map of columns and values. */
export const SHOP_NAMES = ['pretix', 'eventbrite', 'woocommerce', 'ticket-tailor'] as const;
export type ShopName = (typeof SHOP_NAMES)[number];

/** What people call them. */
export const SHOP_LABELS: Readonly<Record<ShopName, string>> = {
  pretix: 'pretix',
  eventbrite: 'Eventbrite',
  woocommerce: 'WooCommerce',
  'ticket-tailor': 'Ticket Tailor',
};
