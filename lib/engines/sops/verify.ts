import { type DecryptOptions, decryptEncrypted, readDocuments } from './decrypt.ts'
import { formats } from './formats/format-of.ts'
import { splitMetadata } from './metadata.ts'
import { Branch, fieldOf } from './tree.ts'

/**
 * Fails with SopsError `mac` if a file was changed since sops encrypted it. A file may be a concatenation of several that were encrypted
 * separately: each is verified by itself, and unencrypted documents are skipped.
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

/** Documents that were encrypted together share one MAC. */
const macOf = (document: Branch): string | undefined => {
  const sops = fieldOf(document, 'sops')
  const mac = sops instanceof Branch ? fieldOf(sops, 'mac') : undefined
  return typeof mac === 'string' ? mac : undefined
}
