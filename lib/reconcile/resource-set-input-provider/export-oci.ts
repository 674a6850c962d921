import { adler32 } from '../../foundations/go/adler32.ts'
import type { InputSet } from '../../foundations/kinds/resource-set.ts'
import type { ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import type { ServiceAccount } from '../../foundations/kinds/service-account.ts'
import { type References, serviceAccountKind } from '../../hub/references/references.ts'
import { requireSecret } from '../../hub/references/require-secret.ts'
import type { ObjectConnection } from '../../platform/cloud/token-destination.ts'
import type { SecretContent } from '../../platform/http/connection-secrets.ts'
import { secretText } from '../../platform/http/connection-secrets.ts'
import type { CloudProvider } from '../../sources/oci/cloud-login.ts'
import { findCredentials, type RegistryCredentials, readKeyring } from '../../sources/oci/docker-config.ts'
import { parseRepository, type RepositoryName } from '../../sources/oci/image-name.ts'
import type { InputProviderPorts } from './context.ts'
import { wantedTags } from './filter.ts'
import { loadTls } from './load-tls.ts'

/** Exports the tags of a registry's repository, with their current digests. */
export const exportOci = async (
  provider: ResourceSetInputProvider,
  cloud: CloudProvider | undefined,
  ports: InputProviderPorts,
  signal: AbortSignal,
): Promise<readonly InputSet[]> => {
  const { url = '', insecure = false, filter = {} } = provider.spec
  const repository = parseRepository(url.replace(/^oci:\/\//, ''))
  const connection = await loadTls(ports.references, provider)
  const credentials = cloud
    ? await cloudCredentials(provider, cloud, repository, { ...connection, insecure }, ports, signal)
    : await secretCredentials(provider, repository, ports)
  const session = ports.oci.open({
    repository,
    insecure,
    signal,
    ...(credentials && { credentials }),
    ...connection,
  })
  try {
    const tags = wantedTags(filter, await session.tags())
    const sets: InputSet[] = []
    for (const tag of tags) sets.push({ id: String(adler32(tag)), tag, digest: await session.resolve(tag) })
    return sets
  } finally {
    await session.close()
  }
}

const cloudCredentials = async (
  provider: ResourceSetInputProvider,
  cloud: CloudProvider,
  { registry }: RepositoryName,
  connection: ObjectConnection,
  { cloudAccess }: InputProviderPorts,
  signal: AbortSignal,
): Promise<RegistryCredentials> => (await cloudAccess(provider, cloud)).login(cloud, registry, connection, signal)

/** The credentials of spec.secretRef, and of the pull secrets of spec.serviceAccountName. */
const secretCredentials = async (
  provider: ResourceSetInputProvider,
  repository: RepositoryName,
  { references }: InputProviderPorts,
): Promise<RegistryCredentials | undefined> => {
  const { secretRef, serviceAccountName } = provider.spec
  const names = [
    ...(secretRef ? [secretRef.name] : []),
    ...(await pullSecrets(provider, serviceAccountName, references)),
  ]
  const secrets = await Promise.all([...new Set(names)].map(name => requireSecret(references, provider, name)))
  return findCredentials(readKeyring(secrets.map(configIn)), repository)
}

const pullSecrets = async (
  provider: ResourceSetInputProvider,
  name: string | undefined,
  references: References,
): Promise<readonly string[]> => {
  if (!name) return []
  const account = await references.local<ServiceAccount>(provider, serviceAccountKind, name)
  if (!account) throw new Error(`serviceaccounts "${name}" not found`)
  return (account.imagePullSecrets ?? []).flatMap(reference => reference.name ?? [])
}

const configIn = (secret: SecretContent): { readonly text: string; readonly isOld?: boolean } => {
  if (secret.data.has('.dockerconfigjson')) return { text: secretText(secret, '.dockerconfigjson') }
  if (secret.data.has('.dockercfg')) return { text: secretText(secret, '.dockercfg'), isOld: true }
  throw new Error(`secret '${secret.name}': key '.dockerconfigjson' not found`)
}
