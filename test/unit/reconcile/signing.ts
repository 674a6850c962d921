/** Keys of approvers, and a runner that demands signatures of them. */
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import type { Plan } from '../../../lib/foundations/kinds/plan.ts'
import { type Signer, signApproval } from '../../../lib/foundations/rules/approval-statement.ts'
import { keyIdOf } from '../../../lib/foundations/rules/verify-receipt.ts'
import type { LastSigned, SignatureDemand } from '../../../lib/reconcile/approvals/signatures.ts'
import { readPublicKey } from '../../../lib/sources/verify/public-key.ts'

export const newKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signer: Signer = { keyId: keyIdOf(createPublicKey(privateKey)), sign: bytes => sign(null, bytes, privateKey) }
  return { signer, key: readPublicKey(publicKey.export({ type: 'spki', format: 'pem' }) as unknown as Uint8Array) }
}
export const [jane, bob, mallory] = [newKey(), newKey(), newKey()]

export const demanding = (demand: Partial<SignatureDemand> = {}): SignatureDemand => {
  const last = new Map<string, LastSigned>()
  return {
    ...{ cluster: 'ships/aurora', keys: [jane.key, bob.key], count: 1 },
    lastSigned: unit => last.get(unit),
    keepLastSigned: async (unit, signed) => void last.set(unit, signed),
    ...demand,
  }
}

/** What the CLI does. */
export const signedAt = (
  now: number,
  plan: Plan,
  by = jane,
  cluster = 'ships/aurora',
): ReturnType<typeof signApproval> => signApproval(plan, cluster, by.signer, now)
