import { secretText } from '../../http/connection-secrets.ts'
import type { Hub } from '../../hub/hub.ts'
import { readSecret, type StoredSecret } from '../../hub/read-secret.ts'
import type { ServiceAccount } from '../../kinds/service-account.ts'
import { type Keyring, readKeyring } from '../../source/oci/docker-config.ts'

/** A Secret or ServiceAccount that pulling needs is missing. The message is Flux's. */
export class MissingPullSecret extends Error {
  /** The Secret that the spec itself names, when it is that which is missing. */
  readonly secret?: string
  constructor(message: string, secret?: string) {
    super(message)
    this.name = 'MissingPullSecret'
    if (secret) this.secret = secret
  }
}

interface PullSpec {
  readonly secretRef?: { readonly name: string }
  readonly serviceAccountName?: string
}

/**
 * The credentials in the image pull secrets that a spec names, itself and through a ServiceAccount; undefined when it names
 * none. Secrets of other types count as empty, as in Flux. Fails with MissingPullSecret or BadDockerConfig.
 */
export const loadKeyring = async (
  hub: Pick<Hub, 'get'>,
  namespace: string,
  { secretRef, serviceAccountName }: PullSpec,
): Promise<Keyring | undefined> => {
  const secrets = [
    ...(secretRef ? [await pullSecret(hub, namespace, secretRef.name)] : []),
    ...(serviceAccountName ? await secretsOfAccount(hub, namespace, serviceAccountName) : []),
  ]
  return secrets.length > 0 ? readKeyring(secrets.flatMap(configIn)) : undefined
}

const pullSecret = async (hub: Pick<Hub, 'get'>, namespace: string, name: string): Promise<StoredSecret> => {
  const secret = await readSecret(hub, namespace, name)
  if (secret) return secret
  throw new MissingPullSecret(`failed to get secret '${namespace}/${name}': secrets "${name}" not found`, name)
}

const secretsOfAccount = async (
  hub: Pick<Hub, 'get'>,
  namespace: string,
  account: string,
): Promise<readonly StoredSecret[]> => {
  const who = `serviceaccount '${namespace}/${account}'`
  const found = await hub.get<ServiceAccount>({ group: '', kind: 'ServiceAccount', namespace, name: account })
  if (!found) throw new MissingPullSecret(`${who} not found`)
  const secrets: StoredSecret[] = []
  for (const { name = '' } of found.imagePullSecrets ?? []) {
    const secret = await readSecret(hub, namespace, name)
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
