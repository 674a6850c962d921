import { readTls } from '../../http/connection-secrets.ts'
import type { TlsOptions } from '../../http/guarded-agent.ts'
import type { ResourceSetInputProvider } from '../../kinds/resource-set-input-provider.ts'
import type { References } from '../../references/references.ts'
import { requireSecret } from '../../references/require-secret.ts'

/** The certificates of spec.certSecretRef, as options of a connection. */
export const loadTls = async (
  references: References,
  provider: ResourceSetInputProvider,
): Promise<{ readonly tls?: TlsOptions }> => {
  const { certSecretRef } = provider.spec
  return certSecretRef ? { tls: readTls(await requireSecret(references, provider, certSecretRef.name)) } : {}
}
