import type { ImageUpdateAutomation } from '../../foundations/kinds/image-update-automation.ts'
import type { References } from '../../hub/references/references.ts'
import { secretText } from '../../platform/http/connection-secrets.ts'
import type { OpenPgp } from '../../platform/ports/open-pgp.ts'
import type { SignCommit } from '../../sources/git/push/write-commit.ts'
import { InvalidSigningKey, sshSigner } from '../../sources/git/signature/sign-ssh.ts'
import { unusable } from './halts.ts'

export interface SignerPorts {
  readonly references: References
  readonly openPgp: Pick<OpenPgp, 'sign'>
}

/** What signs the commits of an automation, with the key in its own namespace; undefined if they are not signed. Halts if the key can't be used. */
export const loadSigner = async (
  automation: ImageUpdateAutomation,
  { references, openPgp }: SignerPorts,
): Promise<SignCommit | undefined> => {
  const { signingKey } = automation.spec.git?.commit ?? {}
  if (!signingKey) return undefined
  const { name } = signingKey.secretRef
  const secret = await references.localSecret(automation, name)
  if (!secret) throw unusable(`could not find signing key secret '${name}': secrets "${name}" not found`)
  const lacks = (key: string) => unusable(`signing key secret '${name}' does not contain ${key}`)
  if (signingKey.type !== 'ssh') {
    if (!secret.data.has('git.asc')) throw lacks("a 'git.asc' key")
    // The library that reads keys is large, and on AWS in another function: only what is no key at all is found here.
    const isArmored = secretText(secret, 'git.asc').includes('-----BEGIN PGP ')
    const noData = 'openpgp: invalid argument: no armored data found'
    if (!isArmored) throw unusable(`could not read signing key from secret '${name}': ${noData}`)
    const passphrase = secret.data.has('passphrase') ? secretText(secret, 'passphrase') : undefined
    return payload => openPgp.sign(payload, secretText(secret, 'git.asc'), passphrase)
  }
  if (!secret.data.has('identity')) throw lacks("an 'identity' key")
  const password = secret.data.has('password') ? secretText(secret, 'password') : undefined
  return sshSigner(secretText(secret, 'identity'), password).catch(error => {
    if (!(error instanceof InvalidSigningKey)) throw error
    throw unusable(
      `could not parse SSH signing key from secret '${name}': could not parse SSH signing key: ${error.message}`,
    )
  })
}
