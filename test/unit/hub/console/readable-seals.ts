import { createSeals, type Seals } from '../../../../lib/hub/console/seals.ts'
import { UnsealFailed } from '../../../../lib/platform/ports/keys.ts'

/** Seals with their context in the clear in place of encryption. */
export const readableSeals = (now: () => number): Seals =>
  createSeals({
    clock: { now },
    keys: {
      seal: async (plain: Uint8Array, context: string) => Buffer.concat([Buffer.from(`${context}:`), plain]),
      open: async (sealed: Uint8Array, context: string) => {
        const text = Buffer.from(sealed).toString()
        if (!text.startsWith(`${context}:`)) throw new UnsealFailed(context)
        return Buffer.from(text.slice(context.length + 1))
      },
    },
  })
