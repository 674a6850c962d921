import type { ImageUpdateAutomation } from '../../foundations/kinds/image-update-automation.ts'
import type { CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import { namespaceOf } from '../../hub/references/references.ts'
import { type RepositoryPushPorts, reconcileRepositories } from '../../signals/webhook/repository-push.ts'
import type { AutomationSource } from './open-source.ts'

/** Where references of a repository are after a run. */
export interface Heads {
  /** `refs/heads/main` */
  readonly references: readonly string[]
  readonly commit: string
}

/**
 * Triggers the GitRepositories that follow what an automation has pushed, so that clusters do not wait for an interval, or for a webhook that may not
 * exist. (With Flux they do.) Those that have the commit already are left alone: a run after one that died calls this again.
 */
export const reconcileSources = async (
  automation: ImageUpdateAutomation,
  { url }: AutomationSource,
  { references, commit }: Heads,
  ports: RepositoryPushPorts,
  { noCrossNamespaceRefs }: CrossNamespaceSettings,
): Promise<void> => {
  const namespace = namespaceOf(automation)
  const user = `ImageUpdateAutomation ${namespace}/${automation.metadata.name}`
  const origin = { user, ...(noCrossNamespaceRefs && { namespace }) }
  for (const version of references) await reconcileRepositories(ports, { address: url.href, version, commit }, origin)
}
