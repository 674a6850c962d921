import type { OciRepository } from '../../foundations/kinds/oci-repository.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { References } from '../../hub/references/references.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { ObjectConnection } from '../../platform/cloud/token-destination.ts'
import { InvalidSecret } from '../../platform/http/connection-secrets.ts'
import type { ConnectionOptions } from '../../platform/http/connections.ts'
import { findCredentials, InvalidDockerConfig, type RegistryCredentials } from '../../sources/oci/docker-config.ts'
import { InvalidName, parseRepository, type RepositoryName } from '../../sources/oci/image-name.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { type CloudAccessOf, FeatureGateDisabled } from '../source-artifact/cloud-access-of.ts'
import { loadProxy, loadTls, MissingSecret } from '../source-artifact/load-connection.ts'
import { fetchStalled } from '../source-artifact/outcomes.ts'
import { loadKeyring, MissingPullSecret } from '../source-artifact/pull-secrets.ts'
import { fetchFailed, notAllowed } from './halts.ts'

/** The location of the artifact, with credentials and connection options. */
export interface Access extends ConnectionOptions {
  readonly repository: RepositoryName
  readonly insecure: boolean
  readonly credentials?: RegistryCredentials
}

/** Parses the URL, and reads the Secrets in the spec. Halts if one is missing or invalid. */
export const loadAccess = async (
  object: OciRepository,
  pass: Pass<OciRepository>,
  references: References,
  cloudAccess: CloudAccessOf,
): Promise<Access> => {
  const { spec } = object
  const keyring = await loadKeyring(references, object).catch(error => {
    if (!(error instanceof MissingPullSecret || error instanceof InvalidDockerConfig)) throw error
    const [reason, secret] = ['AuthenticationFailed', error instanceof MissingPullSecret && error.secret]
    if (secret) pass.event({ severity: 'info', reason, message: `auth secret '${secret}' not found`, quiet: true })
    throw fetchFailed(reason, `failed to get credential: ${error.message}`, error)
  })
  const proxy = await loadProxy(references, object, spec.proxySecretRef).catch(unusable('failed to get proxy address'))
  const tls = await loadTls(references, object, spec.certSecretRef).catch(
    unusable(`failed to generate transport for '${spec.url}'`),
  )
  const connection = { ...proxy, ...tls, insecure: spec.insecure === true }
  const cloud = keyring ? undefined : await cloudCredentials(object, connection, pass, cloudAccess)
  const repository = requireAddress(object)
  const credentials = keyring ? findCredentials(keyring, repository) : cloud
  return { repository, ...connection, ...(credentials && { credentials }) }
}

const unusable = (what: string) => (error: unknown) => {
  if (!(error instanceof InvalidSecret || error instanceof MissingSecret)) throw error
  throw fetchFailed('AuthenticationFailed', `${what}: ${error.message}`, error)
}

const cloudCredentials = async (
  object: OciRepository,
  connection: ObjectConnection,
  pass: Pass<OciRepository>,
  cloudAccess: CloudAccessOf,
): Promise<RegistryCredentials | undefined> => {
  const { provider = 'generic' } = object.spec
  if (provider === 'generic') return undefined
  const { registry } = requireAddress(object)
  try {
    const { login } = await cloudAccess(object, provider)
    return await login(provider, registry, connection, pass.signal)
  } catch (error) {
    pass.signal.throwIfAborted()
    if (error instanceof FeatureGateDisabled) throw notAllowed(error.message)
    if (!(error instanceof CloudError)) throw error
    throw fetchFailed('AuthenticationFailed', `failed to get credential from ${provider}: ${error.message}`, error)
  }
}

const requireAddress = ({ spec }: OciRepository): RepositoryName => {
  try {
    return parseRepository(spec.url.replace(/^oci:\/\//, ''))
  } catch (error) {
    if (!(error instanceof InvalidName)) throw error
    throw fetchStalled('URLInvalid', `URL validation failed for '${spec.url}': ${errorMessage(error)}`)
  }
}
