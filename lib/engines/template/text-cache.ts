/** Caches the results for texts, for callers that process the same ones repeatedly. */
export class TextCache<T> {
  private readonly known = new Map<string, T>()
  private characters = 0
  private readonly maxCharacters: number

  /** Keeps texts up to this many characters in total; cleared when full. */
  constructor(maxCharacters: number) {
    this.maxCharacters = maxCharacters
  }

  /** The cached result for a text, or a new one from `make`. */
  of(text: string, make: () => T): T {
    const known = this.known.get(text)
    if (known !== undefined) return known
    const made = make()
    this.characters += text.length
    if (this.characters > this.maxCharacters) {
      this.known.clear()
      this.characters = text.length
    }
    this.known.set(text, made)
    return made
  }
}
