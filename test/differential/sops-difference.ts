import type { KeyServices } from '../../lib/engines/sops/data-key.ts'
import { decrypt } from '../../lib/engines/sops/decrypt.ts'
import { SopsError } from '../../lib/engines/sops/sops-error.ts'
import type { SopsOracle, SopsRequest } from '../bed/sops-oracle.ts'
import { difference } from '../conformance/suite.ts'

export interface Tally {
  decrypted: number
  refused: number
}

/** Encrypts a document with the real sops; how our decryption of it differs from its own, undefined when it does not. */
export const differenceFromSops = async (
  oracle: SopsOracle,
  request: SopsRequest,
  services: KeyServices,
  tally: Tally,
): Promise<string | undefined> => {
  const { encrypted, decrypted, error } = await oracle.ask(request)
  if (!encrypted) return undefined // not a document for sops
  const ours = await outcome(encrypted, request, services)
  if (decrypted && !error) {
    tally.decrypted++
    if (ours instanceof Uint8Array) {
      return difference(Buffer.from(ours).toString('latin1'), decrypted.toString('latin1'))
    }
    return `sops decrypts it, ours: ${ours.stack}\n${encrypted}`
  }
  tally.refused++
  return ours instanceof Uint8Array ? `sops refuses it (${error}), ours: ${Buffer.from(ours)}\n${encrypted}` : undefined
}

const outcome = async (content: Uint8Array, { format }: SopsRequest, services: KeyServices) => {
  try {
    return await decrypt(content, { format, services })
  } catch (error) {
    if (error instanceof SopsError) return error
    throw error
  }
}
