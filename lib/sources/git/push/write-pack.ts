import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { GitObject, ObjectType } from '../git-object.ts'
import type { NewObjects } from './new-objects.ts'

const types: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }

/** A pack (gitformat-pack, version 2) of whole objects. */
export const writePack = ({ objects, format }: NewObjects): Buffer => {
  const header = Buffer.alloc(12)
  header.write('PACK')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(objects.size, 8)
  const body = Buffer.concat([header, ...objects.values().flatMap(entryOf)])
  return Buffer.concat([body, createHash(format).update(body).digest()])
}

const entryOf = ({ type, content }: GitObject): Buffer[] => [headOf(type, content.length), deflateSync(content)]

/** Type and size: four bits of the size in the first byte, and seven in each that follows. */
const headOf = (type: ObjectType, size: number): Buffer => {
  const bytes = [(types[type] << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
