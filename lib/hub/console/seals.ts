/** What the hub gives away and gets back: encrypted, with the time until which it is valid. */
import type { Clock } from '../../platform/ports/clock.ts'
import { type KeyScope, type Keys, UnsealFailed } from '../../platform/ports/keys.ts'

export interface Seals {
  /** A text for a cookie or an address. `context` says what it is for. */
  seal(value: object, context: string, validMs: number): Promise<string>
  /** The value; undefined if the text was altered, sealed for something else, or is too old. */
  open<T>(text: string, context: string): Promise<T | undefined>
}

export interface SealPorts {
  readonly keys: Keys
  readonly clock: Pick<Clock, 'now'>
}

interface Sealed {
  readonly value: object
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

const scope: KeyScope = { purpose: 'sessions' }

/** Seals with the hub's data keys, which all processes of a hub share. `validMs` counts from now, in milliseconds. */
export const createSeals = ({ keys, clock }: SealPorts): Seals => ({
  seal: async (value, context, validMs) => {
    const sealed: Sealed = { value, expiresAt: clock.now() + validMs }
    const bytes = await keys.seal(Buffer.from(JSON.stringify(sealed)), context, scope)
    return Buffer.from(bytes).toString('base64url')
  },
  open: async <T>(text: string, context: string) => {
    try {
      const bytes = await keys.open(Buffer.from(text, 'base64url'), context, scope)
      const { value, expiresAt } = JSON.parse(Buffer.from(bytes).toString()) as Sealed
      return expiresAt > clock.now() ? (value as T) : undefined
    } catch (error) {
      if (error instanceof UnsealFailed) return undefined
      throw error
    }
  },
})
