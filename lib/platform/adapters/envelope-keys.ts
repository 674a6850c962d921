import { createCipheriv, createDecipheriv } from 'node:crypto'
import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import type { Clock } from '../ports/clock.ts'
import { type KeyScope, type Keys, KeysUnavailable, UnsealFailed } from '../ports/keys.ts'
import type { Random } from '../ports/random.ts'

/** The platform's master key, which never leaves the platform: it only creates and unwraps data keys. */
export interface DataKeySource {
  /** Whether data keys are bound to their scopes. Pointless where one process may open all of them anyway. */
  readonly isScoped: boolean
  generate(scope: KeyScope): Promise<DataKey>
  /**
   * The data key of 32 bytes. Fails if it was altered, or wrapped by another master key or for another scope; with
   * KeysUnavailable if the platform can't be reached. Absent scope: the key was created without one.
   */
  unwrap(wrapped: Uint8Array, scope: KeyScope | undefined): Promise<Uint8Array>
}

export interface DataKey {
  readonly plain: Uint8Array
  readonly wrapped: Uint8Array
}

export interface EnvelopeLimits {
  /** How often, and for how many milliseconds, one data key seals. */
  readonly uses: number
  readonly ageMs: number
  /** How many unwrapped data keys are cached for opening. */
  readonly remembered: number
}

/** Data keys of layout 1 have no scope. */
const layouts = { unscoped: 1, scoped: 2 }
/** Maximum number of data keys in use for sealing, one per scope; the oldest is dropped first. */
const maxSealing = 1000
const ivLength = 12
const tagLength = 16

/**
 * AES-256-GCM under data keys that are stored, wrapped, with the data that they seal: `layout 1 byte | length of wrapped key, 2 bytes | wrapped key
 * | iv 12 | ciphertext | tag 16`. Authenticates the header and the context; the data key authenticates the scope.
 */
export function envelopeKeys(
  source: DataKeySource,
  { clock, random, limits }: { clock: Clock; random: Random; limits: EnvelopeLimits },
): Keys {
  const opened = new RecentlyUsed<Promise<Uint8Array>>(limits.remembered)
  const sealing = new RecentlyUsed<{ readonly key: Promise<DataKey>; readonly until: number; uses: number }>(maxSealing)

  return {
    seal: async (plain, context, scope) => {
      const { plain: key, wrapped } = await sealingKey(scope)
      const header = Buffer.alloc(3 + wrapped.length)
      header.writeUInt8(source.isScoped ? layouts.scoped : layouts.unscoped)
      header.writeUInt16BE(wrapped.length, 1)
      header.set(wrapped, 3)
      const iv = random.bytes(ivLength)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      cipher.setAAD(Buffer.concat([header, Buffer.from(context)]))
      return Buffer.concat([header, iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },

    open: async (sealed, context, scope) => {
      try {
        const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
        const layout = bytes.readUInt8()
        if (layout !== layouts.scoped && layout !== layouts.unscoped) throw new Error(`unknown layout ${layout}`)
        const headerLength = 3 + bytes.readUInt16BE(1)
        if (bytes.length < headerLength + ivLength + tagLength) throw new Error('truncated')
        const header = bytes.subarray(0, headerLength)
        const key = await openingKey(header.subarray(3), layout === layouts.scoped ? scope : undefined)
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(headerLength, headerLength + ivLength), {
          authTagLength: tagLength,
        })
        decipher.setAAD(Buffer.concat([header, Buffer.from(context)]))
        decipher.setAuthTag(bytes.subarray(-tagLength))
        return Buffer.concat([decipher.update(bytes.subarray(headerLength + ivLength, -tagLength)), decipher.final()])
      } catch (cause) {
        if (cause instanceof KeysUnavailable) throw cause
        throw new UnsealFailed(context, cause)
      }
    },
  }

  async function sealingKey(scope: KeyScope): Promise<DataKey> {
    const id = source.isScoped ? scopeId(scope) : ''
    let current = sealing.peek(id)
    if (!current || current.uses >= limits.uses || current.until <= clock.now()) {
      current = { key: source.generate(scope), until: clock.now() + limits.ageMs, uses: 0 }
      sealing.set(id, current)
    }
    current.uses += 1
    try {
      return await current.key
    } catch (error) {
      if (sealing.peek(id) === current) sealing.delete(id)
      throw error
    }
  }

  async function openingKey(wrapped: Buffer, scope: KeyScope | undefined): Promise<Uint8Array> {
    const id = `${scope && scopeId(scope)}\n${wrapped.toString('latin1')}`
    const key = opened.getOrMake(id, () => source.unwrap(wrapped, scope))
    try {
      return await key
    } catch (error) {
      if (opened.peek(id) === key) opened.delete(id)
      throw error
    }
  }
}

const scopeId = ({ purpose, namespace = '' }: KeyScope): string => `${purpose}/${namespace}`
