import { type DecryptOptions, decryptEncrypted, readDocuments } from './decrypt.ts'
import { formats } from './formats/format-of.ts'
import { splitMetadata } from './metadata.ts'
import { Branch, fieldOf } from './tree.ts'

/**
 * Fails with SopsError `mac` when a file is not what sops encrypted. A file may be put together from several that were
 * encrypted apart: each is verified by itself, and documents that are not encrypted are left aside.
 */
export const verifyMacs = async (
  content: Uint8Array,
  { format, services, budget, signal }: Pick<DecryptOptions, 'format' | 'services' | 'budget' | 'signal'>,
): Promise<void> => {
  const byMac = Map.groupBy(readDocuments(content, format, budget), macOf)
  for (const [mac, documents] of byMac) {
    if (mac !== undefined)
      await decryptEncrypted(splitMetadata(documents, formats[format]), { services, budget, signal })
  }
}

/** All documents that were encrypted together bear the same. */
const macOf = (document: Branch): string | undefined => {
  const sops = fieldOf(document, 'sops')
  const mac = sops instanceof Branch ? fieldOf(sops, 'mac') : undefined
  return typeof mac === 'string' ? mac : undefined
}
