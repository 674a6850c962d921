import type { ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import type { References } from '../../hub/references/references.ts'
import { requireSecret } from '../../hub/references/require-secret.ts'
import { readTls } from '../../platform/http/connection-secrets.ts'
import type { TlsOptions } from '../../platform/http/guarded-agent.ts'

/** The certificates of spec.certSecretRef, as options of a connection. */
export const loadTls = async (
  references: References,
  provider: ResourceSetInputProvider,
): Promise<{ readonly tls?: TlsOptions }> => {
  const { certSecretRef } = provider.spec
  return certSecretRef ? { tls: readTls(await requireSecret(references, provider, certSecretRef.name)) } : {}
}
