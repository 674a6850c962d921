import { randomUUID } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { BlobStore } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { KeyScope, Keys } from '../../ports/keys.ts'
import { sortableNumber } from './item-keys.ts'
import type { DeletedBlobs } from './s3-deleted.ts'
import { stateDictionary } from './state-dictionary.ts'
import { bytes, type Item, type Key, type Table, text, textOf } from './table.ts'

/** An object's state as an item holds it: the body itself or, if large, the name of its blob. */
export interface State {
  readonly body?: string
  readonly blob?: string
  readonly refersTo: readonly string[]
  readonly expires?: number
}

/** A state and the one that it replaced: together they compress to little more than one of them. */
export interface Transition {
  readonly after: State
  readonly before?: State
}

/** Stores states in items of at most 400 KB; large bodies go to the bucket, sealed. */
export interface States {
  stateOf(body: string, more: Omit<State, 'body' | 'blob'>, owner: Key): Promise<State>
  /** Undefined if the blob is gone because the state was replaced some time ago. */
  bodyOf(state: State): Promise<string | undefined>
  /**
   * Deletes blobs that no object's current state refers to, and restores those that one does: a table restored to an earlier moment refers to
   * bodies that have since been replaced and deleted. Called from time to time.
   */
  collect(): Promise<void>
}

export interface StatesPorts {
  readonly table: Table
  readonly blobs: BlobStore
  readonly deleted: DeletedBlobs
  readonly keys: Keys
  readonly clock: Clock
}

/** In compressed bytes. Items are also written to change a due time, which costs a write unit per KB. */
const maxBodyBytes = 64 * 1024

/** Secrets in a body are themselves sealed. */
const bodies: KeyScope = { purpose: 'bodies' }

/**
 * States in items of `table`, with larger bodies in `blobs`. `deleted` reads what a versioned bucket still has of
 * deleted ones.
 */
export const statesIn = ({ table, blobs, deleted, keys, clock }: StatesPorts): States => {
  /** While the versioned bucket still has the deleted blob. */
  const restore = async (blob: string): Promise<void> => {
    const content = (await blobs.has(blob)) ? undefined : await deleted(blob)
    if (content) await blobs.put(blob, content)
  }

  return {
    stateOf: async (body, more, owner) => {
      if (body.length <= maxBodyBytes || packed(body).length <= maxBodyBytes) return { body, ...more }
      const blob = `overflow/${randomUUID()}`
      await table.put(checkOf(blob, owner, clock.now() + firstCheckMs))
      await blobs.put(blob, await keys.seal(zstdCompressSync(body), blob, bodies))
      return { blob, ...more }
    },

    bodyOf: async ({ body, blob }) => {
      if (blob === undefined) return body!
      const sealed = (await blobs.get(blob)) ?? (await deleted(blob))
      return sealed && zstdDecompressSync(await keys.open(sealed, blob, bodies)).toString()
    },

    collect: async () => {
      const now = clock.now()
      const due = { where: '#sk <= :now', values: { ':now': text(`${sortableNumber(now)}~`) }, pageSize: checkedAtOnce }
      let checked = 0
      for await (const check of table.query({ pk: checks, ...due })) {
        const blob = textOf(check, 'blob')
        const owner = { pk: textOf(check, 'ownerPk'), sk: textOf(check, 'ownerSk') }
        const head = await table.get(owner)
        if (head?.blob?.S === blob) {
          await restore(blob)
          await table.put(checkOf(blob, owner, now + nextCheckMs))
        } else await blobs.delete(blob)
        await table.remove({ pk: checks, sk: textOf(check, 'sk') })
        if (++checked === checkedAtOnce) return
      }
    },
  }
}

// Each blob has an item that says when to check whether its owner still refers to it. It is written before the blob, so that no blob is forgotten
// if the writer dies or its commit fails.

const checks = 'overflow'
const checkedAtOnce = 100
/** Far longer than a commit takes, and than watches and listings need a replaced state. */
const firstCheckMs = 60 * 60_000
const nextCheckMs = 24 * 60 * 60_000

const checkOf = (blob: string, owner: Key, at: number): Item => ({
  pk: text(checks),
  sk: text(`${sortableNumber(at)}#${blob}`),
  blob: text(blob),
  ownerPk: text(owner.pk),
  ownerSk: text(owner.sk),
})

/** An attribute with the state: JSON, compressed with zstd and a dictionary of typical objects. */
export const packState = (state: State) => bytes(packed(state))
/** An attribute with both states, compressed together. */
export const packTransition = (transition: Transition) => bytes(packed(transition))
/** The inverse of `packState`. */
export const unpackState = (item: Item): State => unpacked(item.state!.B!) as State
/** The inverse of `packTransition`. */
export const unpackTransition = (item: Item): Transition => unpacked(item.state!.B!) as Transition

const dictionary = stateDictionary()

const packed = (value: unknown): Uint8Array => zstdCompressSync(JSON.stringify(value), { dictionary })
/** Also reads states that were packed without the dictionary, as in format 1 of the table. */
const unpacked = (value: Uint8Array): unknown => JSON.parse(zstdDecompressSync(value, { dictionary }).toString())
