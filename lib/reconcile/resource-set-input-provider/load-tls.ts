import { readTls } from '../../http/connection-secrets.ts'
import type { TlsOptions } from '../../http/guarded-agent.ts'
import type { Hub } from '../../hub/hub.ts'
import { requireSecret } from '../../hub/read-secret.ts'
import type { ResourceSetInputProvider } from '../../kinds/resource-set-input-provider.ts'

/** The certificates of spec.certSecretRef, as options of a connection. */
export const loadTls = async (
  hub: Pick<Hub, 'get'>,
  { metadata, spec }: ResourceSetInputProvider,
): Promise<{ readonly tls?: TlsOptions }> => {
  const { certSecretRef } = spec
  return certSecretRef ? { tls: readTls(await requireSecret(hub, metadata.namespace ?? '', certSecretRef.name)) } : {}
}
