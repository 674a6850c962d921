import type { ServiceAccount } from '../../foundations/kinds/service-account.ts'
import {
  namespaceOf,
  type References,
  type Referrer,
  type StoredSecret,
  serviceAccountKind,
} from '../../hub/references/references.ts'
import { secretText } from '../../platform/http/connection-secrets.ts'
import { type Keyring, readKeyring } from '../../sources/oci/docker-config.ts'

/** A Secret or ServiceAccount with pull credentials is missing. The message is Flux's. */
export class MissingPullSecret extends Error {
  /** The missing Secret, if the spec itself names it. */
  readonly secret?: string
  constructor(message: string, secret?: string) {
    super(message)
    this.name = 'MissingPullSecret'
    if (secret) this.secret = secret
  }
}

interface Pulling extends Referrer {
  readonly spec: PullSpec
}

interface PullSpec {
  readonly secretRef?: { readonly name: string }
  readonly serviceAccountName?: string
}

/**
 * The credentials in the image pull secrets of a spec, its own and those of its ServiceAccount; undefined if it has
 * none. Secrets of other types count as empty, as in Flux. Fails with MissingPullSecret or InvalidDockerConfig.
 */
export const loadKeyring = async (references: References, object: Pulling): Promise<Keyring | undefined> => {
  const { secretRef, serviceAccountName } = object.spec
  const secrets = [
    ...(secretRef ? [await pullSecret(references, object, secretRef.name)] : []),
    ...(serviceAccountName ? await secretsOfAccount(references, object, serviceAccountName) : []),
  ]
  return secrets.length > 0 ? readKeyring(secrets.flatMap(configIn)) : undefined
}

const pullSecret = async (references: References, referrer: Referrer, name: string): Promise<StoredSecret> => {
  const secret = await references.localSecret(referrer, name)
  if (secret) return secret
  throw new MissingPullSecret(
    `failed to get secret '${namespaceOf(referrer)}/${name}': secrets "${name}" not found`,
    name,
  )
}

const secretsOfAccount = async (
  references: References,
  referrer: Referrer,
  account: string,
): Promise<readonly StoredSecret[]> => {
  const namespace = namespaceOf(referrer)
  const who = `serviceaccount '${namespace}/${account}'`
  const found = await references.local<ServiceAccount>(referrer, serviceAccountKind, account)
  if (!found) throw new MissingPullSecret(`${who} not found`)
  const secrets: StoredSecret[] = []
  for (const { name = '' } of found.imagePullSecrets ?? []) {
    const secret = await references.localSecret(referrer, name)
    if (!secret) {
      throw new MissingPullSecret(`failed to get image pull secret for ${who}: secret '${namespace}/${name}' not found`)
    }
    secrets.push(secret)
  }
  return secrets
}

const configIn = (secret: StoredSecret): { readonly text: string; readonly isOld?: boolean }[] => {
  const [key, isOld] = secret.type === 'kubernetes.io/dockercfg' ? ['.dockercfg', true] : ['.dockerconfigjson', false]
  const fits = isOld || secret.type === 'kubernetes.io/dockerconfigjson'
  const text = fits ? secretText(secret, key) : ''
  return text ? [{ text, isOld }] : []
}
