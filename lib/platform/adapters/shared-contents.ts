import { checksumIn } from '../../foundations/kinds/artifact.ts'
import { type ArtifactStore, type BlobStore, contentFolder } from '../ports/artifacts.ts'

/**
 * Stores the content of artifacts once for each digest, and the claims on it: an empty blob for each artifact, in its object's folder. Other
 * blobs are stored under their own names, and so are artifacts of older releases.
 */
export const sharedContents = (blobs: BlobStore): ArtifactStore => ({
  put: async (name, content) => {
    const place = placeOf(name)
    if (!place) return blobs.put(name, content)
    if ((await blobs.check(place.content, place.digest)) === 'damaged') await blobs.delete(place.content)
    await Promise.all([blobs.put(place.content, content), blobs.put(place.claim, nothing)])
  },

  claim: async name => {
    const place = placeOf(name)
    if (!place) return blobs.has(name)
    // Claimed first: garbage collection deletes unclaimed content.
    await blobs.put(place.claim, nothing)
    if ((await blobs.check(place.content, place.digest)) === 'sound') return true
    await blobs.delete(place.claim)
    return false
  },

  get: async name => {
    const place = placeOf(name)
    if (!place) return blobs.get(name)
    const [isClaimed, content] = await Promise.all([blobs.has(place.claim), blobs.get(place.content)])
    return isClaimed && content ? content : blobs.get(name)
  },

  has: async name => {
    const place = placeOf(name)
    if (!place) return blobs.has(name)
    const found = await Promise.all([blobs.has(place.claim), blobs.has(place.content)])
    return found.every(Boolean) || blobs.has(name)
  },

  check: async (name, digest) => {
    const place = placeOf(name)
    if (!place) return blobs.check(name, digest)
    const [isClaimed, state] = await Promise.all([blobs.has(place.claim), blobs.check(place.content, digest)])
    return isClaimed && state !== 'missing' ? state : blobs.check(name, digest)
  },

  delete: async name => {
    const place = placeOf(name)
    if (place) await blobs.delete(place.claim)
    await blobs.delete(name)
  },

  list: async function* (prefix) {
    for await (const { name, ...stored } of blobs.list(prefix))
      yield { name: name.endsWith(claimEnd) ? name.slice(0, -claimEnd.length) : name, ...stored }
  },
})

const nothing = new Uint8Array()
const claimEnd = '.claim'

const placeOf = (name: string) => {
  const checksum = checksumIn(name)
  if (checksum === undefined) return undefined
  return {
    claim: `${name}${claimEnd}`,
    content: `${contentFolder}${checksum}`,
    digest: `${algorithms[checksum.length]}:${checksum}`,
  }
}

/** By the length of their checksums in hex. */
const algorithms: Readonly<Record<number, string>> = { 64: 'sha256', 96: 'sha384', 128: 'sha512' }
