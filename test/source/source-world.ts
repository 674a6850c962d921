import { composeSources } from '../../lib/compose/sources.ts'
import { gitClient } from '../../lib/source/git/git-client.ts'
import type { CloudLogin } from '../../lib/source/oci/cloud-login.ts'
import { endWithTest } from '../bed/teardown.ts'
import { openWorld } from '../unit/reconcile/world.ts'

/** The address that artifacts get in these worlds. */
export const artifactAddress = 'http://artifacts.test'

/** A hub whose sources of all kinds are reconciled; it goes when the running test ends. */
export const openSourceWorld = async ({ login }: { readonly login?: CloudLogin } = {}) => {
  const git = gitClient()
  let close = async () => {}
  const world = await openWorld(ports => {
    const settings = { artifactAddress, requeueDependencyMs: 5_000 }
    const sources = composeSources({ ...ports, git, ...(login && { login }) }, settings)
    close = sources.close
    return sources.reconcilers
  })
  endWithTest({
    [Symbol.asyncDispose]: async () => {
      await world.close()
      await close()
      await git.close()
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
