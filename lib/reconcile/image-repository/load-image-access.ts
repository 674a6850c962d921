import type { ImageRepository } from '../../foundations/kinds/image-repository.ts'
import { namespaceOf, type References } from '../../hub/references/references.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { ObjectConnection } from '../../platform/cloud/token-destination.ts'
import { InvalidSecret } from '../../platform/http/connection-secrets.ts'
import type { ConnectionOptions } from '../../platform/http/connections.ts'
import { findCredentials, InvalidDockerConfig, type RegistryCredentials } from '../../sources/oci/docker-config.ts'
import type { RepositoryName } from '../../sources/oci/image-name.ts'
import type { CloudAccessOf } from '../source-artifact/cloud-access-of.ts'
import { loadProxy, loadTls, MissingSecret } from '../source-artifact/load-connection.ts'
import { loadKeyring, MissingPullSecret } from '../source-artifact/pull-secrets.ts'

export interface ImageAccessPorts {
  readonly references: References
  readonly cloudAccess: CloudAccessOf
}

/** How to reach the registry of an image. */
export interface ImageAccess extends ConnectionOptions {
  readonly repository: RepositoryName
  readonly insecure: boolean
  readonly credentials?: RegistryCredentials
}

/** The credentials and certificates can't be used. The message is image-reflector-controller's. */
export class ImageAccessFailed extends Error {
  constructor(cause: Error) {
    super(`failed to configure authentication options: ${messageOf(cause)}`, { cause })
    this.name = 'ImageAccessFailed'
  }
}

const messageOf = (cause: Error): string =>
  cause instanceof MissingPullSecret && cause.secret ? `secrets "${cause.secret}" not found` : cause.message

/** Reads what a spec names. Fails with ImageAccessFailed, or with FeatureGateDisabled. */
export const loadImageAccess = async (
  object: ImageRepository,
  repository: RepositoryName,
  ports: ImageAccessPorts,
  signal: AbortSignal,
): Promise<ImageAccess> => {
  try {
    const { spec } = object
    const insecure = spec.insecure === true
    const proxy = await loadProxy(ports.references, object, spec.proxySecretRef)
    const tls = await loadCertificates(object, ports.references)
    const connection = { ...proxy, ...tls, insecure }
    const credentials = await loadCredentials(object, repository, connection, ports, signal)
    return { repository, ...connection, ...(credentials && { credentials }) }
  } catch (error) {
    signal.throwIfAborted()
    if (expected.some(known => error instanceof known)) throw new ImageAccessFailed(error as Error)
    throw error
  }
}

const expected = [MissingSecret, MissingPullSecret, InvalidSecret, InvalidDockerConfig, CloudError] as const

const loadCertificates = async (object: ImageRepository, references: References) => {
  const name = object.spec.certSecretRef?.name
  if (name && !(await references.localSecret(object, name)))
    throw new MissingPullSecret(`failed to get secret '${namespaceOf(object)}/${name}'`, name)
  return loadTls(references, object, object.spec.certSecretRef)
}

const loadCredentials = async (
  object: ImageRepository,
  repository: RepositoryName,
  connection: ObjectConnection,
  { references, cloudAccess }: ImageAccessPorts,
  signal: AbortSignal,
): Promise<RegistryCredentials | undefined> => {
  const { provider = 'generic' } = object.spec
  if (provider !== 'generic') {
    const { login } = await cloudAccess(object, provider)
    return login(provider, repository.registry, connection, signal)
  }
  const keyring = await loadKeyring(references, object)
  return keyring && findCredentials(keyring, repository)
}
