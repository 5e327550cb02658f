/** `stated`: the specification says it, a deviation fails. `observed`: only its samples show it, a deviation warns. `unstated`: it is silent, so what was seen is reported. */
export type Level = 'stated' | 'observed' | 'unstated';
