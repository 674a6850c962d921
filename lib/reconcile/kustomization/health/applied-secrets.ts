import { observe } from '../../../clusters/apply/observe.ts'
import { ClusterError } from '../../../clusters/client/client.ts'
import { secretValues } from '../../../clusters/client/mask-secret.ts'
import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import { inventoryObject } from '../../../foundations/rules/inventory.ts'
import type { References } from '../../../hub/references/references.ts'
import { inventoryOf } from '../../applied-objects/run.ts'
import type { Context } from '../context.ts'
import type { KustomizationRun } from '../run.ts'
import { openSecrets } from './sealed-secrets.ts'

/**
 * What a pass without a build knows of Secrets, in all forms that occur: the values of those that it applied, as they are on the cluster, those that
 * its variables come from, and those of the build that it continues, which the check has `sealed`. Secrets that are gone or that the account may not
 * read, and those of a cluster that is away, add nothing.
 */
export const appliedSecrets = async (
  run: KustomizationRun,
  sealed: string | undefined,
  { references, keys }: Pick<Context, 'references' | 'keys'>,
): Promise<readonly string[]> => {
  const { applier, cluster, owner, pass } = run

  const targets = inventoryOf(applier)
    .map(inventoryObject)
    .filter(({ ref }) => ref.group === '' && ref.kind === 'Secret')
  const applied = await observe(cluster, targets, owner, { signal: pass.signal }).catch(ifAway)
  const others = [...(await variablesOfSecrets(applier, references)), ...(await openSecrets(run, sealed, keys))]
  return secretValues([...(applied?.values() ?? [])], others)
}

/** Without line breaks, as a build takes them. */
const variablesOfSecrets = async (kustomization: Kustomization, references: References): Promise<readonly string[]> => {
  const sources = (kustomization.spec.postBuild?.substituteFrom ?? []).filter(({ kind }) => kind === 'Secret')
  const secrets = await Promise.all(sources.map(({ name }) => references.localSecret(kustomization, name)))
  return secrets.flatMap(secret => [...(secret?.data.values() ?? [])].map(bytes => `${bytes}`.replaceAll('\n', '')))
}

const ifAway = (error: unknown): undefined => {
  if (!(error instanceof ClusterError)) throw error
}
