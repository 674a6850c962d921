import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { InputSet } from '../../foundations/kinds/resource-set.ts'
import type { ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import type { InputProviderPorts } from './context.ts'
import { limitOf } from './filter.ts'
import { identityOf, selectObjects } from './select-objects.ts'

/** Exports ExternalArtifacts of the hub, with their revisions and labels (RS-142). */
export const exportArtifacts = async (
  provider: ResourceSetInputProvider,
  ports: InputProviderPorts,
  signal: AbortSignal,
): Promise<readonly InputSet[]> => {
  const { selectors = [], filter = {} } = provider.spec
  const kind = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'ExternalArtifact' }
  const found = await selectObjects(provider, kind, selectors, ports, signal)
  return found.slice(0, limitOf(filter)).map(object => {
    const { artifact } = (object.status ?? {}) as { readonly artifact?: Artifact }
    return { ...identityOf(object), ...(artifact && { revision: artifact.revision }) }
  })
}
