/** A reader types keys, not letters: where it has another keyboard layout than the computer, other letters arrive. */
export interface KeyboardLayout {
  /** What was meant for what arrives. Letters not named arrive unchanged. */
  readonly meant: ReadonlyMap<string, string>;
  /** How `tkt`, which each code has, arrives; with caps lock, its capitals do. */
  readonly sign: string;
}

/** A character for what was meant in the place of each that arrives. */
export function replacedLetters(arrived: string, meant: string): ReadonlyMap<string, string> {
  const to = [...meant];
  return new Map([...arrived].map((letter, index) => [letter, to[index] ?? letter]));
}

function layout(arrived: string, meant: string): KeyboardLayout {
  const letters = new Map(replacedLetters(arrived, meant));
  for (const [letter, digit] of letters) {
    const capital = letter.toUpperCase();
    // Caps lock makes capitals of the letters that some layouts have in the places of digits.
    if (/[\d.]/.test(digit) && !letters.has(capital)) letters.set(capital, digit);
  }
  const arrivedFor = (letter: string) => [...letters].find(([, one]) => one === letter)?.[0];
  const [t = 't', k = 'k'] = ['t', 'k'].map(arrivedFor);
  return { meant: letters, sign: t + k + t };
}

/** Y and Z, as they arrive where they change places, and as they were meant. */
const [ZY, YZ] = ['zyZY', 'yzYZ'];
const DIGITS = '1234567890';
const SHIFTED_DIGITS = '!@#$%^&*()';
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** A reader comes from the factory with the layout of the United States. The computers have another. */
const AT_OTHER_COMPUTERS = [
  // Germany, Austria; Switzerland, Croatia, Slovenia, Bosnia, Serbia in Latin letters.
  layout(`${ZY}?ß`, `${YZ}_-`),
  layout(`${ZY}?'`, `${YZ}_-`),
  // Spain, Italy, Portugal; the Nordic countries and Estonia; Iceland; the Netherlands.
  layout("?'", '_-'),
  layout('?+', '_-'),
  layout('Öö', '_-'),
  layout('?/', '_-'),
  // Poland (typists), Romania (until 2004); Albania.
  layout(`${ZY}?+`, `${YZ}_-`),
  layout(ZY, YZ),
  // The Czech Republic and Slovakia, with Z as in Germany and as in the United States.
  layout(`${ZY}+ěščřžýáíé%=`, `${YZ}${DIGITS}_-`),
  layout('+ěščřžýáíé%=', `${DIGITS}_-`),
  layout(`${ZY}+ľščťžýáíé%=`, `${YZ}${DIGITS}_-`),
  layout('+ľščťžýáíé%=', `${DIGITS}_-`),
  // Hungary, likewise; Lithuania.
  layout(`${ZY}öÜü`, `${YZ}0_-`),
  layout('öÜü', '0_-'),
  layout('ąčęėįšųū„“', DIGITS),
  // France; Belgium: digits need the shift key there.
  layout('&é"\'(-è_çàqazwQAZW,;:?!.)°', '1234567890aqwzAQWZm,.M/<-_'),
  layout('&é"\'(§è!çàqazwQAZW,;:?)°', '1234567890aqwzAQWZm,.M-_'),
  // Turkey, Q and F.
  layout('ıç?*', 'i._-'),
  layout(
    'uçveğaütnkmszhfıiorcgödjUÇVEĞAÜTNKMSZHFIİORCGÖDJ?/',
    'abcdefghijkmnoqrstuvwxyzABCDEFGHIJKMNOQRSTUVWXYZ_-',
  ),
  // Greece: one letter arrives for S and for W.
  layout('αβψδεφγηιξκλμνοπ;ρστθωςχυζΑΒΨΔΕΦΓΗΙΞΚΛΜΝΟΠ:ΡΣΤΘΩΧΥΖ', LETTERS.replace('W', '')),
  // Russia; Ukraine; Belarus; Bulgaria, in both ways; Serbia; North Macedonia.
  layout('фисвуапршолдьтщзйкыегмцчняФИСВУАПРШОЛДЬТЩЗЙКЫЕГМЦЧНЯю', `${LETTERS}.`),
  layout('фисвуапршолдьтщзйкіегмцчняФИСВУАПРШОЛДЬТЩЗЙКІЕГМЦЧНЯю', `${LETTERS}.`),
  layout('фісвуапршолдьтўзйкыегмцчняФІСВУАПРШОЛДЬТЎЗЙКЫЕГМЦЧНЯю', `${LETTERS}.`),
  layout('ьфъаеожгстнвпхдз,ияшкэуйщюѝФЪАЕОЖГСТНВПХДЗыИЯШКЭУЙЩЮл$', `${LETTERS}._`),
  layout('абцдефгхийклмнопярстужвьъзАБЦДЕФГХИЙКЛМНОПЯРСТУЖВѝЪЗ–', `${LETTERS}_`),
  layout("абцдефгхијклмнопљрстувњџзжАБЦДЕФГХИЈКЛМНОПЉРСТУВЊЏЗЖ?'", `${LETTERS}_-`),
  layout('абцдефгхијклмнопљрстувњџѕзАБЦДЕФГХИЈКЛМНОПЉРСТУВЊЏЅЗ', LETTERS),
  // The point of the number pad, at a computer whose numbers have a comma.
  layout(',', '.'),
];

/** A reader that was set to its country, at a computer with the layout of the United States. */
const OTHER_READERS = [
  // Germany and all with Z as there; the Nordic countries and Southern Europe.
  layout(`${ZY}?/`, `${YZ}_-`),
  layout('?/', '_-'),
  // The Czech Republic and Slovakia, in both ways; Hungary.
  layout(`${ZY}${SHIFTED_DIGITS}?/`, `${YZ}${DIGITS}_-`),
  layout(`${SHIFTED_DIGITS}?/`, `${DIGITS}_-`),
  layout(`${ZY}\`?/`, `${YZ}0_-`),
  // France; Belgium.
  layout(`${SHIFTED_DIGITS}qazwQAZW;:<68`, `${DIGITS}aqwzAQWZmM.-_`),
  layout(`${SHIFTED_DIGITS}qazwQAZW;:<=+`, `${DIGITS}aqwzAQWZmM.-_`),
  // Turkey, Q and F; Iceland; the Netherlands.
  layout("'/=+", 'i.-_'),
  layout(
    'f,vydqwoszjkit[umhac]\\;nF<VYDQWORZJKIT{UMHAC}|:N+=',
    'abcdefghijkmnoqrstuvwxyzABCDEFGHIJKMNOQRSTUVWXYZ_-',
  ),
  layout('=+', '-_'),
  layout('/&', '-_'),
];

/** Every layout that is told; the one that is met most often comes first. */
export const KEYBOARD_LAYOUTS: readonly KeyboardLayout[] = [
  ...AT_OTHER_COMPUTERS,
  ...OTHER_READERS,
];
