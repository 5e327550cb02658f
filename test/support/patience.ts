/** How long a test waits for what must come: so long that only a fault makes it wait in vain, and shorter than a test may take. */
export const PATIENTLY = { timeout: 30_000 };
