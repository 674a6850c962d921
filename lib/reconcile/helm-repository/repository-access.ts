import { type HelmRepository, isRegistry } from '../../foundations/kinds/helm-repository.ts'
import { namespaceOf, type References } from '../../hub/references/references.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { ObjectConnection } from '../../platform/cloud/token-destination.ts'
import { InvalidSecret, readTls, type SecretContent, secretText } from '../../platform/http/connection-secrets.ts'
import type { ConnectionOptions } from '../../platform/http/connections.ts'
import type { CloudLogin } from '../../sources/oci/cloud-login.ts'
import {
  findCredentials,
  InvalidDockerConfig,
  type RegistryCredentials,
  readKeyring,
} from '../../sources/oci/docker-config.ts'

/** The credentials and connection options of a Helm repository or registry. */
export interface RepositoryAccess extends ConnectionOptions {
  readonly basic?: { readonly username: string; readonly password: string }
  readonly registry?: RegistryCredentials
}

/** The credentials or certificates of a repository can't be used. The message is Flux's. */
export class RepositoryAccessDenied extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'RepositoryAccessDenied'
  }
}

/** Reads the Secrets of a HelmRepository; `url` is normalized. Fails with RepositoryAccessDenied. */
export const loadRepositoryAccess = async (
  { references, login }: { readonly references: References; readonly login: CloudLogin },
  repository: HelmRepository,
  url: string,
  signal: AbortSignal,
): Promise<RepositoryAccess> => {
  const { spec } = repository
  const require = async (what: string, name: string) => {
    const secret = await references.localSecret(repository, name)
    if (!secret)
      throw new RepositoryAccessDenied(
        `failed to get ${what} secret '${namespaceOf(repository)}/${name}': secrets "${name}" not found`,
      )
    return secret
  }
  const certificates = spec.certSecretRef && (await require('TLS authentication', spec.certSecretRef.name))
  const secret = spec.secretRef && (await require('authentication', spec.secretRef.name))
  const tls = certificates ? ownTls(certificates) : secret && attachedTls(secret)
  const basic = secret && basicIn(secret)
  const registry = isRegistry(repository)
    ? await registryCredentials(repository, secret, basic, url, { tls, insecure: spec.insecure }, login, signal)
    : undefined
  return { ...(tls && { tls }), ...(basic && { basic }), ...(registry && { registry }) }
}

const ownTls = (secret: SecretContent) => {
  try {
    return readTls(secret)
  } catch (error) {
    if (!(error instanceof InvalidSecret)) throw error
    throw new RepositoryAccessDenied(`failed to construct Helm client's TLS config: ${error.message}`, error)
  }
}

/** Certificates in the same Secret as the password, as before certSecretRef existed. Incomplete ones count as absent. */
const attachedTls = (secret: SecretContent) => {
  try {
    return readTls(secret)
  } catch (error) {
    if (error instanceof InvalidSecret) return undefined
    throw error
  }
}

const basicIn = (secret: SecretContent & { readonly type: string }) => {
  if (secret.type === 'kubernetes.io/dockerconfigjson') return undefined
  const [has, lacks] = secret.data.has('username') ? ['username', 'password'] : ['password', 'username']
  if (!secret.data.has(has)) return undefined
  if (!secret.data.has(lacks)) {
    const problem = `secret '${secret.name}': malformed basic auth - has '${has}' but missing '${lacks}'`
    throw new RepositoryAccessDenied(`failed to detect authentication methods: ${problem}`)
  }
  return { username: secretText(secret, 'username'), password: secretText(secret, 'password') }
}

const registryCredentials = async (
  { spec }: HelmRepository,
  secret: (SecretContent & { readonly type: string }) | undefined,
  basic: RepositoryAccess['basic'],
  url: string,
  connection: ObjectConnection,
  login: CloudLogin,
  signal: AbortSignal,
): Promise<RegistryCredentials | undefined> => {
  const [registry = '', ...path] = url.replace(/^oci:\/\//, '').split('/')
  if (secret?.type === 'kubernetes.io/dockerconfigjson') {
    try {
      const keyring = readKeyring([{ text: secretText(secret, '.dockerconfigjson') }])
      return findCredentials(keyring, { registry, path: path.join('/') })
    } catch (error) {
      if (!(error instanceof InvalidDockerConfig)) throw error
      throw new RepositoryAccessDenied(`failed to configure OCI registry authentication: ${error.message}`, error)
    }
  }
  if (basic) return basic
  const { provider = 'generic' } = spec
  if (secret || provider === 'generic') return undefined
  return login(provider, registry, connection, signal).catch(error => {
    signal.throwIfAborted()
    if (!(error instanceof CloudError)) throw error
    throw new RepositoryAccessDenied(`failed to get credential from '${provider}': ${error.message}`, error)
  })
}
