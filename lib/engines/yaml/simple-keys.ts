import type { Cursor } from './cursor.ts'
import type { Mark } from './token.ts'

/** A text that is a key if a `:` follows on the same line. */
interface SimpleKey {
  /** Index of its token in the stream. */
  readonly token: number
  readonly required: boolean
  readonly mark: Mark
}

/** Maximum length of a simple key, in characters. */
const MAX_LENGTH = 1024

/** One level of flow collections around the cursor. */
interface Level {
  /** The text that may still become a key. */
  key?: SimpleKey | undefined
  /** The token of the level's last key; before the first key, that of its bracket. */
  last?: number
}

/**
 * The texts that may still become keys, one per level of flow collections. A token that may start a key waits until that is decided. This
 * follows go-yaml, including its errors: a token waits for the next key of its level if a new line rules it out too late, and a bracket
 * after which no key can start does not wait, so that `{? a}: b` is refused.
 */
export class SimpleKeys {
  private readonly cursor: Cursor
  private level: Level = {}
  /** Those around it. */
  private readonly outer: Level[] = []
  /** Waiting tokens, each for the key of a level. */
  private readonly waiting = new Map<number, Level>()

  constructor(cursor: Cursor) {
    this.cursor = cursor
  }

  /** The key that a `:` at the cursor would end; undefined if there is none. Fails if one had to end earlier. */
  get current(): SimpleKey | undefined {
    return this.possible(this.level)
  }

  /** Whether a token may still start a key. */
  mayBegin(token: number): boolean {
    const level = this.waiting.get(token)
    return level !== undefined && this.possible(level) !== undefined
  }

  save(token: number, required: boolean): void {
    this.drop()
    this.level.key = { token, required, mark: this.cursor.mark() }
    this.level.last = token
    this.waiting.set(token, this.level)
  }

  /** Rules out the possible key, as something else comes next. Fails if a key was required. */
  drop(): void {
    const { key } = this.level
    if (key?.required) throw this.missing(key)
    this.forget()
  }

  forget(): void {
    const { key } = this.level
    if (key) this.waiting.delete(key.token)
    this.level.key = undefined
  }

  /** `bracket`: the index of its token. */
  enterFlow(bracket: number): void {
    this.outer.push(this.level)
    this.level = { last: bracket }
  }

  leaveFlow(): void {
    this.waiting.delete(this.level.last!)
    this.level = this.outer.pop()!
  }

  private possible(level: Level): SimpleKey | undefined {
    const { key } = level
    if (!key) return undefined
    if (key.mark.line === this.cursor.line && key.mark.index + MAX_LENGTH >= this.cursor.pos) return key
    if (key.required) throw this.missing(key)
    level.key = undefined
    return undefined
  }

  private missing(key: SimpleKey): Error {
    return this.cursor.fault("could not find expected ':'", key.mark)
  }
}
