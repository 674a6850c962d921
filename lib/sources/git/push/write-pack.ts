import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { makeDelta } from '../delta.ts'
import type { ObjectType } from '../git-object.ts'
import type { DeltaBase, NewObject, NewObjects } from './new-objects.ts'

const types: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }

const referenceDelta = 7

/**
 * A pack (gitformat-pack, version 2). If it may be thin, an object is a delta of one that the server has, where that is smaller: a folder with a
 * million files takes less than a kilobyte.
 */
export const writePack = ({ objects, format }: NewObjects, { isThin }: { readonly isThin: boolean }): Buffer => {
  const header = Buffer.alloc(12)
  header.write('PACK')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(objects.size, 8)
  const entryOf = (object: NewObject) => (isThin && object.base && thinEntry(object, object.base)) || wholeEntry(object)
  const body = Buffer.concat([header, ...objects.values().flatMap(entryOf)])
  return Buffer.concat([body, createHash(format).update(body).digest()])
}

const wholeEntry = ({ type, content }: NewObject): Buffer[] => [
  headOf(types[type], content.length),
  deflateSync(content),
]

const thinEntry = ({ content }: NewObject, base: DeltaBase): Buffer[] | undefined => {
  const delta = makeDelta(base.content, content)
  if (delta.length >= content.length) return undefined
  return [headOf(referenceDelta, delta.length), Buffer.from(base.id, 'hex'), deflateSync(delta)]
}

/** Type and size: four bits of the size in the first byte, and seven in each that follows. */
const headOf = (type: number, size: number): Buffer => {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
