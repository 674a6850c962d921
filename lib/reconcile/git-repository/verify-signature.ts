import type { GitRepository } from '../../foundations/kinds/git-repository.ts'
import type { NewCondition } from '../../foundations/rules/conditions.ts'
import type { References } from '../../hub/references/references.ts'
import type { OpenPgp } from '../../platform/ports/open-pgp.ts'
import type { Checkout } from '../../sources/git/git-client.ts'
import { SignatureNotTrusted, type TrustedKeys, verifySignature } from '../../sources/git/signature/verify-signature.ts'
import { unverifiable, unverified } from './halts.ts'

/** The result of verifying the signatures that spec.verify requires. */
export interface Verification {
  readonly condition: NewCondition | null
  readonly mode: string | null
  /** Undefined if no signature is required. */
  readonly message?: string
}

/** Verifies the signatures that spec.verify requires. Halts unless a trusted key made them. */
export const verifySignatures = async (
  { references, openPgp }: { readonly references: References; readonly openPgp: Pick<OpenPgp, 'verify'> },
  repository: GitRepository,
  { commit, signed }: Checkout,
): Promise<Verification> => {
  const { spec } = repository
  if (!spec.verify) return { condition: null, mode: null }
  const mode = modeOf(spec.verify)
  const keys = await loadKeys(references, repository, spec.verify.secretRef.name)
  const objects = signed()
  const lines: string[] = []
  if (mode !== 'HEAD') {
    const { tag } = objects
    if (!tag) {
      throw unverifiable("cannot verify tag object's signature if a tag reference is not specified")
    }
    if (tag.signature === '') {
      throw unverified('InvalidGitObject', `cannot verify signature of tag '${tag.shown}' since it is not signed`)
    }
    const key = await verifySignature(tag, 'tag', keys, openPgp).catch(
      failing('InvalidTagSignature', `signature verification of tag '${tag.shown}' failed`),
    )
    lines.push(`tag '${tag.shown}' with key '${key}'`)
  }
  if (mode !== 'Tag') {
    const key = await verifySignature(objects.commit, 'commit', keys, openPgp).catch(
      failing('InvalidCommitSignature', `signature verification of commit '${commit.id}' failed`),
    )
    lines.push(`commit '${commit.id}' with key '${key}'`)
  }
  const message = `verified signature of${lines.map(line => `\n\t- ${line}`).join('')}`
  return { condition: { status: 'True', reason: 'Succeeded', message }, mode, message }
}

/** Whether the stored artifact was not verified, or only in another mode than the one required now. */
export const requiresVerification = ({ spec, status }: GitRepository): boolean => {
  if (!spec.verify) return false
  const [now, before] = [modeOf(spec.verify), status?.sourceVerificationMode]
  return before !== now && before !== 'TagAndHEAD'
}

type Mode = 'HEAD' | 'Tag' | 'TagAndHEAD'

const modeOf = ({ mode = 'HEAD' }: NonNullable<GitRepository['spec']['verify']>): Mode =>
  mode === 'head' ? 'HEAD' : mode

const loadKeys = async (references: References, repository: GitRepository, name: string): Promise<TrustedKeys> => {
  const secret = await references.localSecret(repository, name)
  if (!secret) throw unverified('VerificationError', `public keys secret error: secrets "${name}" not found`)
  const entries = [...secret.data].map(([key, bytes]) => [key, bytes.toString()] as const)
  const isSsh = ([key]: readonly [string, string]) => key.endsWith('.sshpub')
  const textsOf = (some: readonly (readonly [string, string])[]) => some.map(([, text]) => text)
  return {
    authorizedKeys: textsOf(entries.filter(isSsh)),
    keyRings: textsOf(entries.filter(entry => !isSsh(entry))),
  }
}

const failing =
  (reason: string, what: string) =>
  (error: unknown): never => {
    if (!(error instanceof SignatureNotTrusted)) throw error
    throw unverified(reason, `${what}: ${error.message}`, error)
  }
