import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { KeyScope, Keys } from '../../platform/ports/keys.ts'

/** The content of records as it is stored: compressed, and sealed for one place. */
export interface RecordCodec<Place, Content> {
  encode(place: Place, content: Content): Promise<Uint8Array>
  /** Fails with UnsealFailed or KeysUnavailable. */
  decode(place: Place, body: Uint8Array): Promise<Content>
}

const scope: KeyScope = { purpose: 'bodies' }

/**
 * `contextOf` identifies a place among all that is sealed. `dictionary` has what most contents have in common; they can only be read with the same
 * bytes.
 */
export const recordCodec = <Place, Content>(
  keys: Keys,
  contextOf: (place: Place) => string,
  dictionary: Buffer,
): RecordCodec<Place, Content> => ({
  encode: (place, content) =>
    keys.seal(zstdCompressSync(JSON.stringify(content), { dictionary }), contextOf(place), scope),
  decode: async (place, body) =>
    JSON.parse(zstdDecompressSync(await keys.open(body, contextOf(place), scope), { dictionary }).toString()),
})
