import type { OidcIdentity } from '../../foundations/kinds/source-fields.ts'
import { namespaceOf, type References, type Referrer, type StoredSecret } from '../../hub/references/references.ts'
import type { SecretContent } from '../../platform/http/connection-secrets.ts'
import { NotVerified } from '../../sources/verify/not-verified.ts'
import type { NotationPolicy } from '../../sources/verify/notation/require-notation.ts'
import type { SignaturePolicy } from '../../sources/verify/verify-artifact.ts'

interface VerifySpec {
  readonly provider: 'cosign' | 'notation'
  readonly secretRef?: { readonly name: string }
  readonly matchOIDCIdentity?: readonly OidcIdentity[]
  readonly trustedRootSecretRef?: { readonly name: string }
}

/**
 * The signature policy in spec.verify, with the keys or roots from its Secrets. Fails with NotVerified, in Flux's
 * wording.
 */
export const loadSignaturePolicy = async (
  references: References,
  referrer: Referrer,
  { provider, secretRef, matchOIDCIdentity = [], trustedRootSecretRef }: VerifySpec,
): Promise<SignaturePolicy> => {
  const namespace = namespaceOf(referrer)
  const require = async (name: string) => {
    const secret = await references.localSecret(referrer, name)
    if (!secret) throw new NotVerified(`secrets "${name}" not found`)
    return secret
  }
  if (provider === 'notation') {
    if (!secretRef) throw new NotVerified('verification secret cannot be empty')
    if (matchOIDCIdentity.length > 0)
      throw new NotVerified('notation does not support OIDC identities: list them in the trust policy')
    return { provider, notation: notationIn(await require(secretRef.name), `${namespace}/${secretRef.name}`) }
  }
  if (secretRef) {
    const { data } = await require(secretRef.name)
    return { provider: 'cosign', keys: [...data].filter(([key]) => key.endsWith('.pub')).map(([, pem]) => pem) }
  }
  const trustedRoot = trustedRootSecretRef && (await loadTrustedRoot(require, namespace, trustedRootSecretRef.name))
  return {
    provider: 'cosign keyless',
    keyless: { identities: matchOIDCIdentity, ...(trustedRoot && { trustedRoot }) },
  }
}

const trustPolicyKey = 'trustpolicy.json'

const notationIn = ({ data }: SecretContent, name: string): NotationPolicy => {
  const document = data.get(trustPolicyKey)
  if (!document) throw new NotVerified(`'${trustPolicyKey}' not found in secret '${name}'`)
  const certificates = [...data].filter(([key]) => /\.(crt|pem)$/.test(key)).map(([, certificate]) => certificate)
  if (certificates.length === 0) throw new NotVerified(`no certificates found in secret '${name}'`)
  return { document, certificates }
}

const rootKey = 'trusted_root.json'

const loadTrustedRoot = async (
  require: (name: string) => Promise<StoredSecret>,
  namespace: string,
  name: string,
): Promise<Uint8Array> => {
  const failed = `failed to read trusted root from secret '${namespace}/${name}'`
  const { data } = await require(name).catch(error => {
    throw error instanceof NotVerified ? new NotVerified(`${failed}: ${error.message}`) : error
  })
  const root = data.get(rootKey)
  if (!root) throw new NotVerified(`${failed}: '${rootKey}' not found in secret '${namespace}/${name}'`)
  return root
}

/** Flux's name of the verification provider. */
export const providerName = ({ provider, secretRef }: VerifySpec): string =>
  provider === 'cosign' && !secretRef ? 'cosign keyless' : provider
