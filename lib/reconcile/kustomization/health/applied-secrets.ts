import { observe } from '../../../clusters/apply/observe.ts'
import { ClusterError } from '../../../clusters/client/client.ts'
import { secretValues } from '../../../clusters/client/mask-secret.ts'
import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import { inventoryObject } from '../../../foundations/rules/inventory.ts'
import type { References } from '../../../hub/references/references.ts'
import { UnsealFailed } from '../../../platform/ports/keys.ts'
import { inventoryOf } from '../../applied-objects/run.ts'
import type { Context } from '../context.ts'
import type { KustomizationRun } from '../run.ts'

/**
 * What a pass without a build knows of Secrets, in all forms that occur: the values of those that it applied, as they are on the cluster, those that
 * its variables come from, and what the build that it continues had decrypted, if that is kept for an undo. Secrets that are gone or that the account
 * may not read, and those of a cluster that is away, add nothing.
 */
export const appliedSecrets = async (
  { applier, cluster, owner, digest, pass: { signal } }: KustomizationRun,
  { references, builds }: Pick<Context, 'references' | 'builds'>,
): Promise<readonly string[]> => {
  const targets = inventoryOf(applier)
    .map(inventoryObject)
    .filter(({ ref }) => ref.group === '' && ref.kind === 'Secret')
  const applied = await observe(cluster, targets, owner, { signal }).catch(ifAway)
  const built = await builds.get(applier, digest).catch(ifForged)
  const others = [...(await variablesOfSecrets(applier, references)), ...(built?.manifests.secrets.secrets() ?? [])]
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

/** The check ends all the same. */
const ifForged = (error: unknown): undefined => {
  if (!(error instanceof UnsealFailed)) throw error
}
