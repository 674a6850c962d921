import type { Cursor } from './cursor.ts'
import type { Mark } from './token.ts'

/** Text that will turn out to be a key if a `:` follows on the same line. */
interface SimpleKey {
  /** Number of its token, counted from the start of the stream. */
  readonly token: number
  readonly required: boolean
  readonly mark: Mark
}

/** Keys reach no further, in characters. */
const MAX_LENGTH = 1024

/** A level of flow collections around the cursor. */
interface Level {
  /** The text that may be a key yet. */
  key?: SimpleKey | undefined
  /** The token of its last key, and until there is one that of its bracket. */
  last?: number
}

/**
 * The texts that may be keys yet, one for each level of flow collections. A token that may begin one waits until that is decided, by
 * go-yaml's book, which has its errors: a token for which another line has come too late waits for the next key of its level, and a
 * bracket behind which no key could begin does not wait, so that `{? a}: b` is refused.
 */
export class SimpleKeys {
  private readonly cursor: Cursor
  private readonly levels: Level[] = [{}]
  /** Tokens that wait, each for the key of a level. */
  private readonly waiting = new Map<number, Level>()

  constructor(cursor: Cursor) {
    this.cursor = cursor
  }

  /** The key that the cursor's `:` would end; undefined when there is none. Fails when one must have ended before. */
  get current(): SimpleKey | undefined {
    return this.possible(this.level)
  }

  /** Whether a token may turn out to begin a key. */
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

  /** What comes next ends the hope for a key. Fails when there had to be one. */
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

  /** `bracket`: the number of its token. */
  enterFlow(bracket: number): void {
    this.levels.push({ last: bracket })
  }

  leaveFlow(): void {
    this.waiting.delete(this.levels.pop()!.last!)
  }

  private get level(): Level {
    return this.levels.at(-1)!
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
