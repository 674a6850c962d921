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

/** The text that may be a key yet, for each level of flow collections around the cursor. */
export class SimpleKeys {
  private readonly cursor: Cursor
  private readonly keys: (SimpleKey | undefined)[] = [undefined]

  constructor(cursor: Cursor) {
    this.cursor = cursor
  }

  /** The key that the cursor's `:` would end; undefined when there is none. Fails when one must have ended before. */
  get current(): SimpleKey | undefined {
    return this.possible(this.keys.length - 1)
  }

  /** Whether a token may turn out to begin a key. */
  mayBegin(token: number): boolean {
    const level = this.keys.findIndex(key => key?.token === token)
    return this.possible(level) !== undefined
  }

  save(token: number, required: boolean): void {
    this.drop()
    this.keys[this.keys.length - 1] = { token, required, mark: this.cursor.mark() }
  }

  /** What comes next ends the hope for a key. Fails when there had to be one. */
  drop(): void {
    const key = this.keys.at(-1)
    if (key?.required) throw this.missing(key)
    this.forget()
  }

  forget(): void {
    this.keys[this.keys.length - 1] = undefined
  }

  enterFlow(): void {
    this.keys.push(undefined)
  }

  leaveFlow(): void {
    this.keys.pop()
  }

  private possible(level: number): SimpleKey | undefined {
    const key = this.keys[level]
    if (!key) return undefined
    if (key.mark.line === this.cursor.line && key.mark.index + MAX_LENGTH >= this.cursor.pos) return key
    if (key.required) throw this.missing(key)
    this.keys[level] = undefined
    return undefined
  }

  private missing(key: SimpleKey): Error {
    return this.cursor.fault("could not find expected ':'", key.mark)
  }
}
