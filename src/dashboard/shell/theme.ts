import { createTheme, localStorageColorSchemeManager, Modal, Tooltip } from '@mantine/core';

/** Light or dark, kept in this browser; until somebody chooses, as the system says. */
export const colourSchemes = localStorageColorSchemeManager({ key: 'ticketscan.colours' });

/** What components look like where the style sheet is not enough. */
export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  respectReducedMotion: true,
  components: {
    // Locking the scroll position would need a style element, which the security policy forbids; layout.css does it.
    Modal: Modal.extend({
      defaultProps: { lockScroll: false, centered: true, transitionProps: { duration: 0 } },
    }),
    Tooltip: Tooltip.extend({
      defaultProps: { events: { hover: true, focus: true, touch: false } },
    }),
  },
});
