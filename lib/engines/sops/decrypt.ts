import type { Budget } from '../../foundations/budget/budget.ts'
import { type KeyServices, recoverDataKey } from './data-key.ts'
import { decryptDocuments, requireMac } from './decrypt-documents.ts'
import type { FormatName } from './formats/format.ts'
import { formats } from './formats/format-of.ts'
import { type EncryptedDocuments, splitMetadata } from './metadata.ts'
import { SopsError } from './sops-error.ts'
import type { Branch } from './tree.ts'

export interface DecryptOptions {
  /** Format of the encrypted file. */
  readonly format: FormatName
  /** Format of the result; the same if absent. */
  readonly output?: FormatName
  readonly services: KeyServices
  /** Don't verify the MAC of the whole file; each value is still authenticated. */
  readonly ignoreMac?: boolean
  readonly budget?: Budget | undefined
  readonly signal?: AbortSignal | undefined
}

/** The same limit as in kustomize-controller. */
const maxFileBytes = 5 << 20

/**
 * Decrypts a file that sops encrypted, and writes it as sops does. Fails with SopsError, whose message is safe to show: it names keys and
 * places, never content; and with BudgetExceeded.
 */
export const decrypt = async (content: Uint8Array, options: DecryptOptions): Promise<Uint8Array> => {
  const { format, output = format, budget } = options
  const encrypted = readEncrypted(content, format, budget)
  const documents = await decryptEncrypted(encrypted, options)
  return formats[output].write(documents)
}

/** The documents of an encrypted file, and its sops metadata. Fails with SopsError `format` or `metadata`, and with BudgetExceeded. */
export const readEncrypted = (content: Uint8Array, format: FormatName, budget?: Budget): EncryptedDocuments => {
  if (content.byteLength > maxFileBytes) {
    throw new SopsError(
      'format',
      `cannot decrypt file with size (${content.byteLength} bytes) exceeding limit (${maxFileBytes})`,
    )
  }
  return splitMetadata(readDocuments(content, format, budget), formats[format])
}

/** Bytes of a file that count as one document node: not every format counts its nodes. */
const bytesPerNode = 64

/** The documents of a file, encrypted or not. Fails with SopsError `format`, and with BudgetExceeded. */
export const readDocuments = (content: Uint8Array, format: FormatName, budget?: Budget): readonly Branch[] => {
  budget?.spend('nodes', Math.ceil(content.byteLength / bytesPerNode))
  return formats[format].read(content, budget)
}

/** The same as `decrypt` for documents that were already read. */
export const decryptEncrypted = async (
  encrypted: EncryptedDocuments,
  { services, ignoreMac, budget, signal }: Pick<DecryptOptions, 'services' | 'ignoreMac' | 'budget' | 'signal'>,
): Promise<readonly Branch[]> => {
  const dataKey = await recoverDataKey(encrypted.metadata, services, signal)
  const decrypted = decryptDocuments(encrypted, dataKey, budget)
  if (!ignoreMac) requireMac(encrypted, decrypted, dataKey)
  return decrypted.documents
}
