import { readTls, type SecretContent } from '../../http/connection-secrets.ts'
import type { TlsOptions } from '../../http/guarded-agent.ts'
import type { Hub } from '../../hub/hub.ts'
import type { ResourceSetInputProvider } from '../../kinds/resource-set-input-provider.ts'
import { type Secret, secretBytes } from '../../kinds/secret.ts'

/** A Secret in the provider's namespace, under the name that its spec gives. Fails when it is not there. */
export const loadSecret = async (
  hub: Pick<Hub, 'get'>,
  { metadata }: ResourceSetInputProvider,
  name: string,
): Promise<SecretContent> => {
  const namespace = metadata.namespace ?? ''
  const secret = await hub.get<Secret>({ group: '', kind: 'Secret', namespace, name })
  if (!secret) throw new Error(`failed to get secret '${namespace}/${name}': secrets "${name}" not found`)
  const data = Object.keys(secret.data ?? {}).map(key => [key, secretBytes(secret, key)!] as const)
  return { name: `${namespace}/${name}`, data: new Map(data) }
}

/** The certificates of spec.certSecretRef, as options of a connection. */
export const loadTls = async (
  hub: Pick<Hub, 'get'>,
  provider: ResourceSetInputProvider,
): Promise<{ readonly tls?: TlsOptions }> => {
  const { certSecretRef } = provider.spec
  return certSecretRef ? { tls: readTls(await loadSecret(hub, provider, certSecretRef.name)) } : {}
}
