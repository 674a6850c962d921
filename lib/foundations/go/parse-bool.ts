const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map(word => [word, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map(word => [word, false] as const),
])

/** strconv.ParseBool; undefined for other text. */
export const parseBool = (text: string): boolean | undefined => WORDS.get(text)
