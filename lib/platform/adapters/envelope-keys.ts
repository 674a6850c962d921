import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Clock } from '../ports/clock.ts'
import { type Keys, KeysUnavailable, UnsealFailed } from '../ports/keys.ts'
import type { Random } from '../ports/random.ts'

/** The platform's master key, which never leaves its place: it only makes and unwraps data keys. */
export interface DataKeySource {
  generate(): Promise<DataKey>
  /**
   * The data key of 32 bytes, or a failure when it was wrapped by another master key or altered; KeysUnavailable when that
   * can't be told now.
   */
  unwrap(wrapped: Uint8Array): Promise<Uint8Array>
}

export interface DataKey {
  readonly plain: Uint8Array
  readonly wrapped: Uint8Array
}

export interface EnvelopeLimits {
  /** How often and how long one data key seals. */
  readonly uses: number
  readonly ageMs: number
  /** How many unwrapped data keys are remembered for opening. */
  readonly remembered: number
}

const layout = 1
const ivLength = 12
const tagLength = 16

/**
 * AES-256-GCM under data keys that are stored, wrapped, beside what they seal:
 * `layout 1 | length of wrapped key, 2 bytes | wrapped key | iv 12 | ciphertext | tag 16`.
 * The header and the context are authenticated along with the content.
 */
export function envelopeKeys(
  source: DataKeySource,
  { clock, random, limits }: { clock: Clock; random: Random; limits: EnvelopeLimits },
): Keys {
  const opened = new Map<string, Promise<Uint8Array>>()
  let sealing: { readonly key: Promise<DataKey>; readonly until: number; uses: number } | undefined

  return {
    seal: async (plain, context) => {
      const { plain: key, wrapped } = await sealingKey()
      const header = Buffer.alloc(3 + wrapped.length)
      header.writeUInt8(layout)
      header.writeUInt16BE(wrapped.length, 1)
      header.set(wrapped, 3)
      const iv = random.bytes(ivLength)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      cipher.setAAD(Buffer.concat([header, Buffer.from(context)]))
      return Buffer.concat([header, iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },

    open: async (sealed, context) => {
      try {
        const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
        if (bytes.readUInt8() !== layout) throw new Error(`unknown layout ${bytes.readUInt8()}`)
        const headerLength = 3 + bytes.readUInt16BE(1)
        if (bytes.length < headerLength + ivLength + tagLength) throw new Error('truncated')
        const header = bytes.subarray(0, headerLength)
        const key = await openingKey(header.subarray(3))
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

  async function sealingKey(): Promise<DataKey> {
    if (!sealing || sealing.uses >= limits.uses || sealing.until <= clock.now())
      sealing = { key: source.generate(), until: clock.now() + limits.ageMs, uses: 0 }
    const current = sealing
    current.uses += 1
    try {
      return await current.key
    } catch (error) {
      if (sealing === current) sealing = undefined
      throw error
    }
  }

  /** The key used longest ago is forgotten first. */
  async function openingKey(wrapped: Buffer): Promise<Uint8Array> {
    const id = wrapped.toString('latin1')
    const key = opened.get(id) ?? source.unwrap(wrapped)
    opened.delete(id)
    opened.set(id, key)
    if (opened.size > limits.remembered) opened.delete(opened.keys().next().value!)
    try {
      return await key
    } catch (error) {
      if (opened.get(id) === key) opened.delete(id)
      throw error
    }
  }
}
