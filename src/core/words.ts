/** A text in English and in German. */
export type Words = readonly [english: string, german: string];
