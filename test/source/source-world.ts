import type { KubernetesObject } from '../../lib/kinds/object.ts'
import { gitRepositoryReconciler } from '../../lib/reconcile/git-repository/git-repository.ts'
import { ociRepositoryReconciler } from '../../lib/reconcile/oci-repository/oci-repository.ts'
import type { Reconciler } from '../../lib/reconcile/runtime/reconciler.ts'
import type { StorageSettings } from '../../lib/reconcile/source-artifact/artifact-storage.ts'
import { gitClient } from '../../lib/source/git/git-client.ts'
import type { CloudLogin } from '../../lib/source/oci/cloud-login.ts'
import { ociClient } from '../../lib/source/oci/oci-client.ts'
import { endWithTest } from '../bed/teardown.ts'
import { openWorld } from '../unit/reconcile/world.ts'

/** The address that artifacts get in these worlds. */
export const artifactAddress = 'http://artifacts.test'

const noCloud: CloudLogin = async provider => {
  throw new Error(`no ${provider} in this test`)
}

/** A hub whose sources of all kinds are reconciled; it goes when the running test ends. */
export const openSourceWorld = async ({ login = noCloud }: { readonly login?: CloudLogin } = {}) => {
  const git = gitClient()
  const oci = ociClient(Date)
  const storage: StorageSettings = { artifactAddress, retention: { records: 2, ttlMs: 60_000 } }
  const world = await openWorld(
    ports =>
      [
        gitRepositoryReconciler({ ...ports, git }, { ...storage, requeueDependencyMs: 5_000 }),
        ociRepositoryReconciler({ ...ports, oci, login }, storage),
      ] as unknown as Reconciler<KubernetesObject>[],
  )
  endWithTest({
    [Symbol.asyncDispose]: async () => {
      await world.close()
      await git.close()
      await oci.close()
    },
  })
  return {
    ...world,
    /** Names in the artifact store. */
    async stored(): Promise<string[]> {
      const names: string[] = []
      for await (const { name } of world.platform.artifacts.list('')) names.push(name)
      return names.sort()
    },
  }
}

export type SourceWorld = Awaited<ReturnType<typeof openSourceWorld>>
